import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createTokenObserver, parseModel, parseTokens } from '../../../../src/proxy/usage/tokenObserver.ts';
import type { Tokens } from '../../../../src/proxy/usage/tokenObserver.ts';

type Observed = Tokens | undefined;

const typed = (value: string, ...others: [name: string, value: string][]) => [
  { name: 'Content-Type', value },
  ...others.map(([name, value]) => ({ name, value })),
];
const EVENTS = typed('text/event-stream');
const JSON_BODY = typed('application/json');
const USAGE = '{"prompt_tokens":11,"completion_tokens":7,"total_tokens":18}';
const TOKENS = { input: 11, output: 7, cached: null };
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
        assert.deepEqual(observe(EVENTS, chunks), { input, output, cached: null });
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
    [
      'of embeddings, which have only input',
      '{"usage":{"prompt_tokens":5,"total_tokens":5}}',
      { input: 5, output: 0, cached: null },
    ],
    ['only in the model’s text', `{"content":${JSON.stringify(`{"usage":${USAGE}}`)}}`, undefined],
    ['in one that is cut off', `{"usage":${USAGE},"data":[`, undefined],
    ['in an event stream of another type', LAST, undefined],
  ] as const) {
    it(`${tokens === undefined ? 'does not find' : 'finds'} tokens ${what}`, () => {
      for (const found of everyWay(JSON_BODY, text)) assert.deepEqual(found, tokens);
    });
  }
});

describe('createTokenObserver(): the model', () => {
  const modelsIn = (headers: typeof EVENTS, text: string) => {
    const bytes = Buffer.from(text);
    return Array.from(bytes, (_byte, at) => {
      const observer = createTokenObserver(headers);
      for (const chunk of [bytes.subarray(0, at), bytes.subarray(at)]) observer?.push(chunk);
      return observer?.model;
    });
  };
  const event = (object: unknown) => `data: ${JSON.stringify(object)}\n\n`;
  const silent = event({ choices: [] });

  for (const [what, text, model] of [
    ['the first event', event({ id: '1', model: 'glm-5' }) + LAST + DONE, 'glm-5'],
    ['the first event, after comments', `: wait\n\nevent: x\n${event({ model: 'glm-5' })}${FIRST}`, 'glm-5'],
    ['the second event', event({ model: '' }) + event({ model: 'glm-5' }), 'glm-5'],
    ['each event', event({ model: 'one' }) + event({ model: 'two' }), 'one'],
    ['the fifth event', silent.repeat(4) + event({ model: 'glm-5' }), 'glm-5'],
    ['the sixth event', silent.repeat(5) + event({ model: 'glm-5' }), undefined],
    ['the text of the model', event({ choices: [{ delta: { content: '"model":"x"', model: 'y' } }] }), undefined],
    ['an event that is cut off', event({ model: 'glm-5' }).slice(0, -4), undefined],
    ['no event', FIRST + LAST + DONE, undefined],
  ] as const) {
    it(`is ${String(model)} for a stream where ${what} names one`, () => {
      for (const found of modelsIn(EVENTS, text)) assert.equal(found, model);
    });
  }

  it('is read from a JSON object together with the tokens', () => {
    const text = JSON.stringify({ model: 'größer-1 🜁', choices: [{ message: { model: 'x' } }] });
    for (const found of modelsIn(JSON_BODY, text)) assert.equal(found, 'größer-1 🜁');
    const observer = createTokenObserver(JSON_BODY);
    observer?.push(Buffer.from(`{"model":"glm-5","usage":${USAGE}}`));
    assert.deepEqual([observer?.model, observer?.tokens], ['glm-5', TOKENS]);
  });
});

describe('parseModel()', () => {
  const latin1 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('latin1');

  it('cuts long names off after 200 characters, and no character in half', () => {
    for (const character of ['x', 'ß', '语', '🜁', '\u0000']) {
      assert.equal(parseModel(latin1(character.repeat(200))), character.repeat(200));
      assert.equal(parseModel(latin1(`x${character.repeat(400)}`)), `x${character.repeat(199)}`);
    }
  });

  it('replaces halves of characters, which cannot be sent as UTF-8', () => {
    assert.equal(parseModel('"a\\ud800b"'), 'a\ufffdb');
  });

  for (const json of [undefined, '', 'null', '7', '""', '["x"]', '{"model":"x"}', '"x', '"\xff"']) {
    it(`ignores ${String(json)}`, () => {
      assert.equal(parseModel(json), undefined);
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
    const more = { completion_tokens_details: { cached_tokens: 3 }, cost: 0.1, constructor: 1 };
    assert.deepEqual(parseTokens(JSON.stringify({ ...JSON.parse(USAGE), ...more })), TOKENS);
    const most = { input: 0, output: 1e9, cached: null };
    assert.deepEqual(parseTokens('{"prompt_tokens":0,"completion_tokens":1000000000}'), most);
  });

  for (const [details, cached] of [
    ['{"cached_tokens":3}', 3],
    ['{"cached_tokens":0,"audio_tokens":1}', 0],
    ['{"cached_tokens":8}', null],
    ['{"cached_tokens":-1}', null],
    ['{"cached_tokens":"3"}', null],
    ['{}', null],
    ['null', null],
    ['[3]', null],
  ] as const) {
    it(`reads ${String(cached)} cached tokens of 7 from ${details}`, () => {
      const json = `{"prompt_tokens":7,"completion_tokens":1,"prompt_tokens_details":${details}}`;
      assert.deepEqual(parseTokens(json), { input: 7, output: 1, cached });
    });
  }
});
