import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  fieldValue,
  replaceCorsHeaders,
  requestHeaders,
  responseHeaders,
  singleValue,
} from '../../../../src/proxy/http/headers.ts';
import { FORBIDDEN_REQUEST_HEADERS } from '../../../../src/session/wire.ts';

const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
];

const NEVER_IN_REQUESTS = [
  ...FORBIDDEN_REQUEST_HEADERS,
  ...HOP_BY_HOP,
  'cookie2',
  'x-real-ip',
  'accept-encoding',
  'expect',
  'x-sealed-proxy-check',
  'x-forwarded-port',
  'x-forwarded-anything',
];

const NEVER_IN_RESPONSES = [...HOP_BY_HOP, 'set-cookie', 'set-cookie2', 'content-length'];

const fieldsOf = (raw: readonly string[]) => requestHeaders(raw).map(({ name, value }) => `${name}: ${value}`);
const rawOf = (lines: readonly string[]) =>
  responseHeaders(
    lines.map((line) => {
      const colon = line.indexOf(': ');
      return { name: line.slice(0, colon), value: line.slice(colon + 2) };
    }),
  );

/** Names in any spelling, among them many that must not be forwarded. */
const named = (forbidden: readonly string[]) =>
  fc
    .tuple(
      fc.oneof(fc.constantFrom(...forbidden), fc.stringMatching(/^[a-z]([a-z0-9-]{0,8}[a-z0-9])?$/)),
      fc.array(fc.boolean()),
    )
    .map(([name, upper]) => Array.from(name, (char, at) => (upper[at] === true ? char.toUpperCase() : char)).join(''));
const value = fc.stringMatching(/^[!-~]{0,12}$/);
const tokens = (forbidden: readonly string[]) =>
  fc
    .array(named(forbidden), { maxLength: 3 })
    .chain((list) => fc.constantFrom(', ', ',', ' , ').map((by) => list.join(by)));
const field = (forbidden: readonly string[]) =>
  fc.oneof(
    fc.record({ name: named(forbidden), value }),
    fc.record({ name: fc.constantFrom('Connection', 'connection'), value: tokens(forbidden) }),
  );

/** The fields that remain, by a simple and slow implementation of the rules. */
function kept(fields: readonly { name: string; value: string }[], isForbidden: (name: string) => boolean): string[][] {
  const connections = fields.filter(({ name }) => name.toLowerCase() === 'connection');
  const options = new Set(
    connections.flatMap(({ value: list }) => list.split(',').map((token) => token.trim().toLowerCase())),
  );
  return fields
    .filter(({ name }) => !isForbidden(name.toLowerCase()) && !options.has(name.toLowerCase()))
    .map(({ name, value: text }) => [name, text]);
}

describe('requestHeaders()', () => {
  it('have lower-case names, and keep order and repeats', () => {
    assert.deepEqual(
      fieldsOf(['X-B', '1', 'Accept', '*/*', 'x-b', '2', 'Content-Type', 'application/json', 'X-B', '1']),
      ['x-b: 1', 'accept: */*', 'x-b: 2', 'content-type: application/json', 'x-b: 1'],
    );
  });

  it('keep the values unchanged', () => {
    assert.deepEqual(fieldsOf(['User-Agent', ' OpenAI/JS "6" \u00e9 ', 'X-Empty', '']), [
      'user-agent:  OpenAI/JS "6" \u00e9 ',
      'x-empty: ',
    ]);
  });

  for (const name of NEVER_IN_REQUESTS) {
    it(`never contain ${name}, in any spelling or position`, () => {
      for (const spelled of [name, name.toUpperCase(), name.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase())]) {
        assert.deepEqual(fieldsOf(['a', '1', spelled, 'x-other', 'b', '2', spelled, 'y']), ['a: 1', 'b: 2']);
      }
    });
  }

  it('contain nothing that Connection names, before or after it', () => {
    assert.deepEqual(
      fieldsOf(['X-Before', '1', 'Connection', 'close, X-Before ,x-behind', 'X-Behind', '2', 'x-stay', '3']),
      ['x-stay: 3'],
    );
    assert.deepEqual(fieldsOf(['Connection', 'x-a', 'x-a', '1', 'connection', 'X-B', 'x-b', '2', 'x-c', '3']), [
      'x-c: 3',
    ]);
  });

  it('follow the rules for random headers', () => {
    fc.assert(
      fc.property(fc.array(field(NEVER_IN_REQUESTS), { maxLength: 15 }), (fields) => {
        const isForbidden = (name: string) => NEVER_IN_REQUESTS.includes(name) || name.startsWith('x-forwarded-');
        const raw = fields.flatMap(({ name, value: text }) => [name, text]);
        assert.deepEqual(
          requestHeaders(raw).map(({ name, value: text }) => [name, text]),
          kept(fields, isForbidden).map(([name = '', text]) => [name.toLowerCase(), text]),
        );
        assert.ok(!requestHeaders(raw).some(({ name }) => isForbidden(name)));
      }),
      { numRuns: 500 },
    );
  });
});

describe('responseHeaders()', () => {
  it('keep order, repeats and spelling', () => {
    const lines = [
      'X-B: 1',
      'content-type: text/event-stream',
      'x-b: 2',
      'X-B: 1',
      'Date: today',
      'Cache-Control: no-cache',
    ];
    assert.deepEqual(
      rawOf(lines),
      lines.flatMap((line) => line.split(': ')),
    );
  });

  for (const name of NEVER_IN_RESPONSES) {
    it(`never contain ${name}, in any spelling`, () => {
      for (const spelled of [name, name.toUpperCase()]) {
        assert.deepEqual(rawOf(['a: 1', `${spelled}: x-other`, 'b: 2']), ['a', '1', 'b', '2']);
      }
    });
  }

  it('contain nothing that Connection names, before or after it', () => {
    assert.deepEqual(rawOf(['X-A: 1', 'Connection: X-a, x-b', 'x-B: 2', 'x-c: 3']), ['x-c', '3']);
  });

  it('follow the rules for random headers of the backend', () => {
    fc.assert(
      fc.property(fc.array(field(NEVER_IN_RESPONSES), { maxLength: 15 }), (fields) => {
        const isForbidden = (name: string) => NEVER_IN_RESPONSES.includes(name);
        assert.deepEqual(responseHeaders(fields), kept(fields, isForbidden).flat());
      }),
      { numRuns: 500 },
    );
  });
});

describe('replaceCorsHeaders()', () => {
  const raw = ['X-A', '1', 'Access-Control-Allow-Origin', '*', 'access-control-max-age', '5', 'Vary', 'x'];

  it('replaces the CORS headers of the backend in any spelling', () => {
    assert.deepEqual(replaceCorsHeaders(raw, ['access-control-allow-origin', 'https://app.example']), [
      ...['X-A', '1', 'Vary', 'x'],
      ...['access-control-allow-origin', 'https://app.example'],
    ]);
  });

  it('changes nothing if the proxy has no CORS headers to add', () => {
    assert.deepEqual(replaceCorsHeaders(raw, []), raw);
  });
});

describe('fieldValue()', () => {
  it('finds the first field of this name in any spelling', () => {
    const fields = ['1', '2'].map((value) => ({ name: 'Content-Type', value }));
    assert.equal(fieldValue(fields, 'content-type'), '1');
    assert.equal(fieldValue(fields, 'content'), undefined);
  });
});

describe('singleValue()', () => {
  it('finds the value, also an empty one', () => {
    assert.equal(singleValue(['A', '1', 'Host', 'x'], 'host'), 'x');
    assert.equal(singleValue(['HOST', ''], 'host'), '');
  });

  it('is undefined for a missing field, even if its name is a value', () => {
    assert.equal(singleValue(['A', 'host', 'B', '1'], 'host'), undefined);
    assert.equal(singleValue(['Hosts', '1', 'hos', '2'], 'host'), undefined);
    assert.equal(singleValue([], 'host'), undefined);
  });

  it('is null for a repeated field, even with the same value', () => {
    assert.equal(singleValue(['Host', 'x', 'host', 'x'], 'host'), null);
    assert.equal(singleValue(['Host', '', 'host', ''], 'host'), null);
  });
});
