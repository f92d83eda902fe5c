import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createTokenObserver, parseTokens } from '../../../../src/proxy/usage/tokenObserver.ts';
import type { Tokens } from '../../../../src/proxy/usage/tokenObserver.ts';

type Observed = Tokens | undefined;

const typed = (value: string, ...others: [name: string, value: string][]) => [
  { name: 'Content-Type', value },
  ...others.map(([name, value]) => ({ name, value })),
];
const EVENTS = typed('text/event-stream');
const JSON_BODY = typed('application/json');
const USAGE = '{"prompt_tokens":11,"completion_tokens":7,"total_tokens":18}';
const TOKENS = { input: 11, output: 7 };
const FIRST = 'data: {"choices":[{"delta":{"content":"Hello"}}]}\n\n';
const LAST = `data: {"choices":[],"usage":${USAGE}}\n\n`;
const DONE = 'data: [DONE]\n\n';
/** The model's text contains the same field. */
const TALK = `data: {"choices":[{"delta":{"content":${JSON.stringify(`{"usage":${USAGE.replaceAll('1', '9')}}\n\ndata: `)}}}]}\n\n`;

function observe(headers: typeof EVENTS, chunks: readonly Uint8Array[]): Observed {
  const observer = createTokenObserver(headers);
  for (const chunk of chunks) observer?.push(chunk);
  return observer?.tokens;
}

/** The same text in one chunk, byte by byte, and split in two at every position. */
function everyWay(headers: typeof EVENTS, text: string): Observed[] {
  const bytes = Buffer.from(text);
  const singly = Array.from(bytes, (_byte, index) => bytes.subarray(index, index + 1));
  const split = Array.from(bytes, (_byte, index) => [bytes.subarray(0, index), bytes.subarray(index)]);
  return [[bytes], singly, ...split].map((chunks) => observe(headers, chunks));
}

describe('createTokenObserver() for an event stream', () => {
  for (const [what, text, tokens] of [
    ['in the last event but one', FIRST + LAST + DONE, TOKENS],
    ['in the last event', FIRST + LAST, TOKENS],
    ['in an event with carriage returns', (FIRST + LAST + DONE).replaceAll('\n', '\r\n'), TOKENS],
    ['without a space after `data:`', LAST.replace('data: ', 'data:'), TOKENS],
    ['between comments and other fields', `: ping\n\nid: 1\nevent: x\n${LAST}retry: 5\n\n`, TOKENS],
    ['in each event, where the last one is valid', LAST.replaceAll('1', '2') + LAST + DONE, TOKENS],
    ['in one event, and null in the others', FIRST.replace('}\n', ',"usage":null}\n') + LAST + DONE, TOKENS],
    ['in one event, with invalid counts after it', `${LAST}data: {"usage":{"prompt_tokens":-1}}\n\n${DONE}`, TOKENS],
    ['only in the model’s text', TALK + DONE, undefined],
    ['in the model’s text, and after it', TALK + LAST + DONE, TOKENS],
    ['in a line with another name', `dat: {"usage":${USAGE}}\n\nxdata: {"usage":${USAGE}}\n\n`, undefined],
    ['in a comment', `: data: {"usage":${USAGE}}\n\n`, undefined],
    ['in an event that is cut off', LAST.slice(0, -4), undefined],
    ['in an event without its end', LAST.trimEnd(), undefined],
    ['nowhere', FIRST + DONE, undefined],
  ] as const) {
    it(`${tokens === undefined ? 'does not find' : 'finds'} tokens ${what}`, () => {
      for (const found of everyWay(EVENTS, text)) assert.deepEqual(found, tokens);
    });
  }

  it('finds the tokens after random texts of the model, split at random positions', () => {
    const event = (content: string) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`;
    fc.assert(
      fc.property(fc.array(fc.string()), fc.array(fc.nat()), fc.nat(1e9), fc.nat(1e9), (said, cuts, input, output) => {
        const usage = { prompt_tokens: input, completion_tokens: output };
        const text = `${said.map((words) => event(`"usage":${words}`)).join('')}data: ${JSON.stringify({ usage })}\n\n`;
        const bytes = Buffer.from(text + DONE);
        const places = [
          0,
          ...cuts.map((cut) => cut % bytes.length).toSorted((one, other) => one - other),
          bytes.length,
        ];
        const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
        assert.deepEqual(observe(EVENTS, chunks), { input, output });
      }),
    );
  });

  it('finds the tokens at the end of a line of megabytes', () => {
    const chunks = [Buffer.from('data: {"x":"'), ...Array<Buffer>(64).fill(Buffer.alloc(65_536, 'x'))];
    assert.deepEqual(observe(EVENTS, [...chunks, Buffer.from(`","usage":${USAGE}}\n\n`)]), TOKENS);
  });
});

describe('createTokenObserver() for one JSON object', () => {
  for (const [what, text, tokens] of [
    ['at its end', `{"choices":[{"message":{"content":"Hello"}}],"usage":${USAGE}}`, TOKENS],
    ['at its beginning', `{"usage":${USAGE},"data":[[0.1,0.2]]}`, TOKENS],
    ['of embeddings, which have only input', '{"usage":{"prompt_tokens":5,"total_tokens":5}}', { input: 5, output: 0 }],
    ['only in the model’s text', `{"content":${JSON.stringify(`{"usage":${USAGE}}`)}}`, undefined],
    ['in one that is cut off', `{"usage":${USAGE},"data":[`, undefined],
    ['in an event stream of another type', LAST, undefined],
  ] as const) {
    it(`${tokens === undefined ? 'does not find' : 'finds'} tokens ${what}`, () => {
      for (const found of everyWay(JSON_BODY, text)) assert.deepEqual(found, tokens);
    });
  }
});

describe('createTokenObserver()', () => {
  for (const [headers, observed] of [
    [typed('application/json; charset=utf-8'), true],
    [typed('Application/JSON', ['content-encoding', 'identity']), true],
    [typed('text/event-stream;charset=utf-8'), true],
    [typed('application/json', ['Content-Encoding', 'gzip']), false],
    [typed('text/event-stream', ['content-encoding', 'br']), false],
    [typed('application/jsonl'), false],
    [typed('application/octet-stream'), false],
    [[], false],
  ] as const) {
    const type = headers.map(({ value }) => value).join(', ');
    it(`${observed ? 'observes' : 'does not observe'} a response of the type "${type}"`, () => {
      assert.equal(createTokenObserver(headers) !== undefined, observed);
    });
  }
});

describe('parseTokens()', () => {
  for (const json of [
    undefined,
    '',
    'null',
    '7',
    '[]',
    '"text"',
    '{}',
    '{"prompt_tokens":',
    '{"prompt_tokens":-1,"completion_tokens":1}',
    '{"prompt_tokens":1.5,"completion_tokens":1}',
    '{"prompt_tokens":"1","completion_tokens":1}',
    '{"prompt_tokens":NaN,"completion_tokens":1}',
    '{"prompt_tokens":1e999,"completion_tokens":1}',
    '{"prompt_tokens":1000000001,"completion_tokens":1}',
    '{"prompt_tokens":1,"completion_tokens":-1}',
    '{"prompt_tokens":1,"completion_tokens":null}',
    '{"prompt_tokens":{"prompt_tokens":1},"completion_tokens":1}',
    '{"prompt_tokens":[1],"completion_tokens":1}',
    '{"completion_tokens":1}',
    '{"__proto__":{"prompt_tokens":1,"completion_tokens":1}}',
    '[{"prompt_tokens":1,"completion_tokens":1}]',
    '{"usage":{"prompt_tokens":1,"completion_tokens":1}}',
  ]) {
    it(`ignores ${String(json)}`, () => {
      assert.equal(parseTokens(json), undefined);
    });
  }

  it('ignores additional fields', () => {
    const more = { prompt_tokens_details: { cached_tokens: 3 }, cost: 0.1, constructor: 1 };
    assert.deepEqual(parseTokens(JSON.stringify({ ...JSON.parse(USAGE), ...more })), TOKENS);
    assert.deepEqual(parseTokens('{"prompt_tokens":0,"completion_tokens":1000000000}'), { input: 0, output: 1e9 });
  });
});
