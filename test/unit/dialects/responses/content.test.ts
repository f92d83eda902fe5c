import assert from 'node:assert/strict';
import { contentAt, textAt } from '../../../../src/dialects/responses/content.ts';

const URL = 'data:image/png;base64,AAAA';
const base64 = (text: string | Uint8Array) => Buffer.from(text).toString('base64');
const fileOf = (fields: object) => contentAt('c', [{ type: 'input_file', ...fields }]);
const rejects = (run: () => unknown, param: string) => {
  assert.throws(run, { name: 'DialectError', status: 400, param });
};

describe('contentAt()', () => {
  it('reads texts, refusals and images in their order', () => {
    assert.deepEqual(contentAt('c', 'Hello'), [{ type: 'text', text: 'Hello' }]);
    assert.deepEqual(
      contentAt('c', [
        { type: 'input_text', text: 'a' },
        { type: 'input_image', image_url: URL, detail: 'low' },
        { type: 'output_text', text: 'b', annotations: [] },
        { type: 'refusal', refusal: 'No.' },
        { type: 'input_image', image_url: URL, detail: 'original' },
        { type: 'input_image', image_url: URL },
      ]),
      [
        { type: 'text', text: 'a' },
        { type: 'image_url', image_url: { url: URL, detail: 'low' } },
        { type: 'text', text: 'b' },
        { type: 'text', text: 'No.' },
        { type: 'image_url', image_url: { url: URL, detail: 'high' } },
        { type: 'image_url', image_url: { url: URL } },
      ],
    );
  });

  it('reads a text file, with its name', () => {
    const json = `data:application/json;base64,${base64('{"ä":1}')}`;
    assert.deepEqual(fileOf({ filename: 'a.json', file_data: json }), [{ type: 'text', text: 'a.json:\n{"ä":1}' }]);
    const text = `data:text/plain;charset=utf-8;base64,${base64('Hello')}`;
    assert.deepEqual(fileOf({ file_data: text }), [{ type: 'text', text: 'Hello' }]);
    assert.deepEqual(fileOf({ file_data: base64('Hello') }), [{ type: 'text', text: 'Hello' }]);
  });

  it('rejects files that are not texts, and files that are stored elsewhere', () => {
    const pdf = `data:application/pdf;base64,${base64('%PDF-1.7')}`;
    for (const data of [pdf, base64(Uint8Array.of(0xff, 0xfe, 0x00)), base64('a\0b'), '!!!', 'data:text/plain,x']) {
      rejects(() => fileOf({ file_data: data }), 'c[0].file_data');
    }
    rejects(() => fileOf({ file_id: 'file_1' }), 'c[0].file_id');
    rejects(() => fileOf({ file_url: 'https://example.com' }), 'c[0].file_url');
    rejects(() => fileOf({}), 'c[0].file_data');
  });

  it('rejects unknown parts and images, and names the field', () => {
    rejects(() => contentAt('c', [{ type: 'input_audio' }]), 'c[0].type');
    rejects(() => contentAt('c', [{ type: 'input_image', file_id: 'file_1' }]), 'c[0].file_id');
    rejects(() => contentAt('c', [{ type: 'input_image' }]), 'c[0].image_url');
    rejects(() => contentAt('c', [{ type: 'input_image', image_url: URL, detail: 'x' }]), 'c[0].detail');
    rejects(() => contentAt('c', [{ type: 'input_text' }]), 'c[0].text');
    rejects(() => contentAt('c', ['x']), 'c[0]');
    rejects(() => contentAt('c', { text: 'x' }), 'c');
    rejects(() => contentAt('c', undefined), 'c');
  });
});

describe('textAt()', () => {
  it('joins texts and rejects images', () => {
    const parts = ['a', 'b'].map((text) => ({ type: 'input_text', text }));
    assert.equal(textAt('c', parts), 'a\nb');
    rejects(() => textAt('c', [...parts, { type: 'input_image', image_url: URL }]), 'c[2]');
  });
});
