import assert from 'node:assert/strict';
import { blocksAt, contentOf, partsOf } from '../../../../src/dialects/messages/content.ts';

const parts = (value: unknown) => blocksAt('content', value).flatMap(partsOf);
const image = (source: unknown) => [{ type: 'image', source }];
const document = (source: unknown, more: object = {}) => [{ type: 'document', source, ...more }];
const rejects = (value: unknown, message: RegExp) => {
  assert.throws(() => parts(value), { name: 'DialectError', status: 400, message });
};

describe('partsOf()', () => {
  it('translates text and images', () => {
    assert.deepEqual(parts('Hello'), [{ type: 'text', text: 'Hello' }]);
    assert.deepEqual(parts(''), []);
    assert.deepEqual(parts(image({ type: 'base64', media_type: 'image/jpeg', data: 'abcd' })), [
      { type: 'image_url', image_url: { url: 'data:image/jpeg;base64,abcd' } },
    ]);
    assert.deepEqual(parts(image({ type: 'url', url: 'https://example.com/a.png' })), [
      { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
    ]);
  });

  it('translates documents that contain text, after their title and context', () => {
    const source = { type: 'text', media_type: 'text/plain', data: 'The text.' };
    assert.equal(contentOf(parts(document(source, { title: 'T', context: 'C' }))), 'T\n\nC\n\nThe text.');
    assert.equal(contentOf(parts(document(source, { title: null, context: '' }))), 'The text.');
    const blocks = {
      type: 'content',
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    };
    assert.equal(contentOf(parts(document(blocks))), 'a\n\nb');
    assert.equal(contentOf(parts(document({ type: 'content', content: 'a' }))), 'a');
  });

  it('translates search results', () => {
    const result = {
      type: 'search_result',
      title: 'T',
      source: 'https://x',
      content: [{ type: 'text', text: 'Found' }],
    };
    assert.equal(contentOf(parts([result])), 'T\nhttps://x\n\nFound');
  });

  it('rejects documents and files that have no equivalent, with a remedy', () => {
    rejects(
      document({ type: 'base64', media_type: 'application/pdf', data: 'a' }),
      /^content\[0\]\.source: PDF documents are not supported\. Send their text, or their pages as images\.$/,
    );
    rejects(document({ type: 'url', url: 'https://x/a.pdf' }), /PDF documents are not supported/);
    rejects(document({ type: 'file', file_id: 'a' }), /source\.type: sources of type "file" are not supported/);
    rejects(image({ type: 'file', file_id: 'a' }), /source\.type: sources of type "file" are not supported/);
    rejects(document({ type: 'content', content: document({ type: 'text', data: 'a' }) }), /blocks of type "document"/);
  });

  it('rejects fields of the wrong type', () => {
    rejects([5], /^content\[0\]: must be an object\.$/);
    rejects([{ text: 'a' }], /^content\[0\]\.type: must be a string\.$/);
    rejects([{ type: 'text', text: 5 }], /^content\[0\]\.text: must be a string\.$/);
    rejects(image(undefined), /^content\[0\]\.source: must be an object\.$/);
    rejects(
      image({ type: 'base64', media_type: 'text/html,<b>', data: 'a' }),
      /media_type: must be the media type of an image/,
    );
    rejects(image({ type: 'base64', media_type: 'image/png' }), /source\.data: must be a string/);
  });
});

describe('contentOf()', () => {
  it('is a string as long as there are no images', () => {
    assert.equal(
      contentOf(
        parts([
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ]),
      ),
      'a\n\nb',
    );
    const mixed = parts([{ type: 'text', text: 'a' }, ...image({ type: 'url', url: 'https://x' })]);
    assert.deepEqual(contentOf(mixed), mixed);
  });
});
