import assert from 'node:assert/strict';
import {
  DEFAULT_BACKEND,
  apiKeyProblem,
  keyPrompt,
  keySource,
  untestedKey,
  withKeyLink,
} from '../../../src/presentation/apiKeyText.ts';
import { RESTART_SETTINGS } from '../../../src/settings/schema.ts';

const ACCESS_KEY = `sealed-${'Ab1_-'.repeat(8)}xyz`;
const problem = (text: string) => apiKeyProblem(text, [ACCESS_KEY]);

describe('apiKeyProblem()', () => {
  for (const key of ['dev-demo', 'sk-proj-0123456789_abcDEF', 'a.b.c', 'key', 'AbC=', 'x'.repeat(16_384), 'monkey2']) {
    it(`accepts ${key.slice(0, 30)}`, () => {
      assert.equal(problem(key), undefined);
    });
  }

  for (const [name, text, message] of [
    ['nothing', '', 'Enter the API key.'],
    ['an access key', ACCESS_KEY, /^This is an access key of Sealed Proxy/],
    ['an access key without its prefix', ACCESS_KEY.slice(7), /^This is an access key of Sealed Proxy/],
    ['a damaged access key', `"${ACCESS_KEY.slice(0, 40)}`, /^This is an access key of Sealed Proxy/],
    ['a header value', 'Bearer sk-1234', 'Paste only the key, without "Bearer" before it.'],
    ['a header', 'Authorization: Bearer sk-1234', 'Paste only the key, without "Authorization: Bearer" before it.'],
    ['a variable', 'OPENAI_API_KEY=sk-1234', 'Paste only the key, without "OPENAI_API_KEY=" before it.'],
    ['a command', 'export MAPLE_KEY=sk-1', 'Paste only the key, without "export MAPLE_KEY=" before it.'],
    ['a label', 'API_key: sk-1234', 'Paste only the key, without "API_key:" before it.'],
    ['an address', 'https://trymaple.ai/keys', 'This is an address, not an API key.'],
    ['double quotes', '"sk-1234"', 'Remove the quotation marks around the key.'],
    ['one single quote', "sk-1234'", 'Remove the quotation marks around the key.'],
    ['typographic quotes', '“sk-1234”', 'Remove the quotation marks around the key.'],
    ['two lines', 'sk-1234\nsk-5678', 'The text has several lines. Paste only the key.'],
    ['a space', 'sk-12 34', /^An API key contains no spaces/],
    ['a key with hidden characters', 'sk-••••••', 'This key is shortened or hidden. Copy the complete key.'],
    ['a shortened key', 'sk-12...ab', 'This key is shortened or hidden. Copy the complete key.'],
    ['a masked key', 'sk-*****ab', 'This key is shortened or hidden. Copy the complete key.'],
    ['letters of another script', 'ключ', /^An API key contains only letters, digits and punctuation/],
    ['a control character', 'sk-\u0007', /^An API key contains only letters, digits and punctuation/],
    ['a long text', 'x'.repeat(16_385), 'An API key has at most 16,384 characters.'],
  ] as const) {
    it(`refuses ${name} with a sentence about it`, () => {
      const found = problem(text);
      if (typeof message === 'string') assert.equal(found, message);
      else assert.match(found ?? '', message);
    });
  }
});

describe('keySource()', () => {
  it('names the site of the default backend only for that backend', () => {
    assert.equal(DEFAULT_BACKEND, RESTART_SETTINGS.backendUrl.default);
    assert.equal(keySource(DEFAULT_BACKEND), 'Create one at trymaple.ai, under API Keys.');
    assert.doesNotMatch(keySource('https://enclave.example'), /trymaple/);
  });
});

describe('keyPrompt()', () => {
  it('says why, where to get a key, with a link, and what happens to it', () => {
    assert.equal(
      keyPrompt('Connecting an assistant needs an API key.', DEFAULT_BACKEND),
      'Connecting an assistant needs an API key. Create one at [trymaple.ai](https://trymaple.ai), under API Keys. ' +
        "The key is tested, then kept in VS Code's secret storage.",
    );
    assert.match(keyPrompt('', 'https://enclave.example'), /^Enter your backend's API key\. Get one from/);
  });
});

describe('withKeyLink()', () => {
  it('links the site, and changes no other text', () => {
    assert.equal(withKeyLink('Create one at trymaple.ai.'), 'Create one at [trymaple.ai](https://trymaple.ai).');
    assert.equal(withKeyLink('https://enclave.trymaple.ai'), 'https://enclave.trymaple.ai');
  });
});

describe('untestedKey()', () => {
  it('says that the key was saved, why it was not tested, and what happens next', () => {
    const text = untestedKey('Sealed Proxy cannot reach the backend.');
    assert.match(
      text,
      /^The API key was saved, but could not be tested\. Sealed Proxy cannot reach the backend\. .* once it/,
    );
  });
});
