import assert from 'node:assert/strict';
import { namedFile, requestedTitle, userWords } from '../../../../src/devEnclave/model/editorPrompt.ts';
import { WORKSPACE, wrapped } from '../../../support/devEnclave/editorPrompts.ts';

describe('userWords()', () => {
  it('finds what the user typed, and leaves other messages as they are', () => {
    assert.equal(userWords(wrapped('Hello!')), 'Hello!');
    assert.equal(userWords(wrapped('one\n\n  two')), 'one\n\n  two');
    assert.equal(userWords(wrapped('')), '');
    for (const text of ['Hello!', '', '<userRequest> open', 'closed </userRequest>', '</userRequest><userRequest>'])
      assert.equal(userWords(text), text);
  });

  it('takes the last request, as the editor writes it after everything else', () => {
    assert.equal(userWords(`<userRequest>\na file\n</userRequest>\n${wrapped('mine')}`), 'mine');
  });
});

describe('requestedTitle()', () => {
  const ask = 'Please write a brief title for the following request:\n\n';

  it('is the beginning of the request', () => {
    assert.equal(requestedTitle(`${ask}What does shop.mjs do?`), 'What does shop.mjs do?');
    assert.equal(requestedTitle(`${ask}one two three four five six seven`), 'one two three four five six');
  });

  it('is undefined for other messages', () => {
    for (const text of ['', 'Hello!', `What means "${ask}"?`]) assert.equal(requestedTitle(text), undefined);
  });
});

describe('namedFile()', () => {
  const request = (...texts: readonly string[]) =>
    ({ messages: texts.map((text) => ({ role: 'user', text, images: [] })) }) as unknown as Parameters<
      typeof namedFile
    >[0];

  for (const [words, path] of [
    ['What does shop.mjs do?', '/home/ada/the shop/shop.mjs'],
    ['Read src/a-b/c_d.test.ts.', '/home/ada/the shop/src/a-b/c_d.test.ts'],
    ['(README.md)', '/home/ada/the shop/README.md'],
    ['Hello! How are you?', undefined],
    ['End of a sentence. Next one...', undefined],
    ['/etc/passwd.txt', undefined],
  ] as const) {
    it(`is ${path ?? 'undefined'} for: ${words}`, () => {
      assert.equal(namedFile(request('You are an assistant.', WORKSPACE), words), path);
    });
  }

  it('is undefined if the folder is unknown', () => {
    assert.equal(namedFile(request('Hello'), 'shop.mjs'), undefined);
  });
});
