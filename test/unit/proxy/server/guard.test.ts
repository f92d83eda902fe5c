import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  bearerToken,
  checkOrigin,
  corsHeaders,
  dialectKey,
  isOwnHost,
  preflightHeaders,
} from '../../../../src/proxy/server/guard.ts';
import type { HostRule } from '../../../../src/proxy/server/guard.ts';
import { readHost } from '../../../../src/proxy/server/requestTarget.ts';
import { parseOriginPattern } from '../../../../src/settings/origins.ts';

const LOOPBACK: HostRule = { boundTo: '127.0.0.1', allowed: [] };
const OPEN: HostRule = { boundTo: '0.0.0.0', allowed: [] };

function own(host: string, rule: HostRule): boolean {
  const name = readHost(['Accept', '*/*', 'Host', host]);
  return name !== undefined && isOwnHost(name, rule);
}

describe('isOwnHost() of a proxy that listens on this computer only', () => {
  for (const host of [
    'localhost',
    'LOCALHOST',
    'localhost:14114',
    '127.0.0.1',
    '127.0.0.1:1',
    '127.0.0.1:65535',
    '127.200.0.1:80',
    '[::1]',
    '[::1]:80',
    '[0:0:0:0:0:0:0:1]:80',
    'localhost:',
    '[::1]:',
  ]) {
    it(`accepts ${host}`, () => {
      assert.equal(own(host, LOOPBACK), true);
    });
  }

  for (const host of [
    '',
    ' ',
    'evil.example',
    'evil.example:14114',
    'rebind.127.0.0.1.nip.io',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    'localhost.',
    'localhost.:80',
    '127.0.0.1.',
    'my-computer',
    'my-computer.local',
    '10.0.0.1',
    '192.168.1.7:14114',
    '0.0.0.0',
    '128.0.0.1',
    '::1',
    '::1:80',
    '[::1',
    '[::1]80',
    '[::]',
    '[fe80::1]',
    '[::1%25lo]',
    '[::1].evil.example',
    'localhost:x',
    'localhost:123456',
    'localhost:80:80',
    'localhost:80@evil.example',
    'user@localhost',
    'localhost/evil',
    'localhost\\evil',
    'localhost evil.example',
    'localhost,evil.example',
    '127.0.0.1,127.0.0.1',
    'http://localhost',
    'null',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '127.1',
    'loc\u0430lhost',
  ]) {
    it(`refuses ${JSON.stringify(host)}`, () => {
      assert.equal(own(host, LOOPBACK), false);
    });
  }

  it('refuses every name that DNS could resolve', () => {
    const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,10}[a-z0-9])?$/);
    const name = fc.tuple(
      fc.array(label, { minLength: 1, maxLength: 4 }),
      fc.constantFrom('com', 'io', 'localhost', 'test'),
    );
    fc.assert(
      fc.property(name, fc.constantFrom('', ':80', ':14114'), ([labels, top], port) => {
        assert.equal(own(`${labels.join('.')}.${top}${port}`, LOOPBACK), false);
      }),
    );
  });

  it('accepts the allowed names, and nothing similar', () => {
    const rule = { boundTo: '127.0.0.1', allowed: ['box.local', 'fe80::1', '192.168.1.7'] };
    for (const host of ['box.local', 'BOX.local:80', '[FE80::1]:80', '192.168.1.7'])
      assert.equal(own(host, rule), true);
    for (const host of ['x.box.local', 'box.local.', 'box', 'fe80::1', '192.168.1.8'])
      assert.equal(own(host, rule), false);
  });
});

describe('isOwnHost() with a suffix', () => {
  const rule: HostRule = { boundTo: '127.0.0.1', allowed: ['*.apps.example'] };

  it('accepts the names below it, at any depth', () => {
    for (const host of ['a.apps.example', 'A.Apps.Example:80', 'a.b.apps.example']) assert.equal(own(host, rule), true);
  });

  it('refuses the suffix itself, and names that only end like it', () => {
    for (const host of [
      'apps.example',
      '.apps.example',
      'xapps.example',
      'evilapps.example',
      'a.apps.example.evil',
      'a.example',
    ]) {
      assert.equal(own(host, rule), false, host);
    }
  });
});

describe('isOwnHost() of a proxy that listens on the network', () => {
  it('accepts every address, because DNS rebinding needs a name', () => {
    for (const host of [
      '192.168.1.7',
      '192.168.1.7:14114',
      '10.0.0.1',
      '[fe80::1]:80',
      '0.0.0.0',
      '127.0.0.1',
      'localhost',
    ]) {
      for (const boundTo of ['0.0.0.0', '::', '192.168.1.7'])
        assert.equal(own(host, { boundTo, allowed: [] }), true, host);
    }
  });

  it('refuses names that are not allowed', () => {
    for (const host of ['evil.example', 'rebind.192.168.1.7.nip.io:80', 'my-computer', '192.168.1.7.', '192.168.1']) {
      assert.equal(own(host, OPEN), false, host);
      assert.equal(own(host, { boundTo: '::', allowed: [] }), false, host);
    }
    assert.equal(own('my-computer:80', { boundTo: '0.0.0.0', allowed: ['my-computer'] }), true);
    assert.equal(own('my-computer:80', { boundTo: 'my-computer', allowed: [] }), true);
  });
});

describe('checkOrigin()', () => {
  const patterns = ['https://app.example', 'http://localhost:3000', 'vscode-webview://*'].map(
    (text) => parseOriginPattern(text) ?? assert.fail(text),
  );

  it('accepts requests without the header, as programs send them', () => {
    assert.deepEqual(checkOrigin(['Host', 'x'], patterns), { kind: 'none' });
    assert.deepEqual(checkOrigin([], []), { kind: 'none' });
  });

  for (const origin of [
    'https://app.example',
    'HTTPS://APP.EXAMPLE',
    'http://localhost:3000',
    'vscode-webview://0a1b2c',
    'VSCODE-webview://0a1b2c',
  ]) {
    it(`accepts an allowed origin: ${origin}`, () => {
      assert.deepEqual(checkOrigin(['origin', origin], patterns), { kind: 'allowed', origin });
    });
  }

  for (const origin of [
    '',
    'null',
    'http://app.example',
    'https://app.example:8443',
    'https://app.example.evil.example',
    'https://evil.example/https://app.example',
    'https://x.app.example',
    'https://app.example/',
    'http://localhost',
    'http://localhost:30000',
    'http://127.0.0.1:3000',
    'vscode-webview:',
    'vscode-webview-evil://x',
    'xvscode-webview://x',
    'file://',
    'https://app.example https://app.example',
  ]) {
    it(`refuses any other origin: ${JSON.stringify(origin)}`, () => {
      assert.deepEqual(checkOrigin(['Origin', origin], patterns), { kind: 'refused' });
      assert.deepEqual(checkOrigin(['Origin', origin], []), { kind: 'refused' });
    });
  }

  it('refuses a repeated header, even if the origin is allowed', () => {
    const twice = ['Origin', 'https://app.example', 'origin', 'https://app.example'];
    assert.deepEqual(checkOrigin(twice, patterns), { kind: 'refused' });
  });
});

describe('corsHeaders()', () => {
  it('name the origin, so that its pages may read the response', () => {
    assert.deepEqual(corsHeaders('https://app.example'), [
      'access-control-allow-origin',
      'https://app.example',
      'access-control-expose-headers',
      '*',
      'vary',
      'Origin',
    ]);
  });
});

describe('preflightHeaders()', () => {
  const pairs = (flat: readonly string[]) =>
    Object.fromEntries(flat.flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1]]] : [])));

  it('allow the methods of the route and the requested headers', () => {
    const asked = ['Access-Control-Request-Headers', 'authorization, x-stainless-os'];
    assert.deepEqual(pairs(preflightHeaders(asked, 'POST')), {
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'authorization, x-stainless-os',
      'access-control-max-age': '600',
    });
  });

  it('allow the usual headers if none are requested', () => {
    assert.equal(pairs(preflightHeaders([], 'GET'))['access-control-allow-headers'], 'authorization, content-type');
  });

  it('allow access to the private network only on request', () => {
    const name = 'access-control-allow-private-network';
    assert.equal(pairs(preflightHeaders(['access-control-request-private-network', 'true'], 'GET'))[name], 'true');
    for (const value of ['false', '', 'TRUE']) {
      assert.equal(name in pairs(preflightHeaders(['access-control-request-private-network', value], 'GET')), false);
    }
    assert.equal(name in pairs(preflightHeaders([], 'GET')), false);
  });
});

describe('bearerToken()', () => {
  for (const [value, token] of [
    ['Bearer sk-1', 'sk-1'],
    ['bearer sk-1', 'sk-1'],
    ['BEARER   sk-1', 'sk-1'],
    ['Bearer a b', 'a b'],
    ['Bearer Bearer sk-1', 'Bearer sk-1'],
  ] as const) {
    it(`finds ${token} in ${JSON.stringify(value)}`, () => {
      assert.equal(bearerToken(['Authorization', value]), token);
    });
  }

  for (const value of [
    '',
    'Bearer',
    'Bearer ',
    'Bearer  ',
    'sk-1',
    'Basic c2stMQ==',
    'Bearersk-1',
    'Bearer\tsk-1',
    'xBearer sk-1',
  ]) {
    it(`finds none in ${JSON.stringify(value)}`, () => {
      assert.equal(bearerToken(['Authorization', value]), undefined);
    });
  }

  it('requires exactly one Authorization header', () => {
    assert.equal(bearerToken(['x-api-key', 'sk-1']), undefined);
    assert.equal(bearerToken(['Authorization', 'Bearer sk-1', 'authorization', 'Bearer sk-1']), undefined);
  });

  it('reads a value full of spaces in linear time: this test never ends otherwise', () => {
    const value = `Bearer a${' '.repeat(1_000_000)}b`;
    assert.equal(bearerToken(['Authorization', value]), value.slice('Bearer '.length));
  });
});

describe('dialectKey()', () => {
  it('returns the bearer token, or else the other header', () => {
    assert.equal(dialectKey(['X-Api-Key', 'key']), 'key');
    assert.equal(dialectKey(['x-api-key', 'key', 'Authorization', 'Bearer token']), 'token');
    assert.equal(dialectKey(['x-api-key', 'key', 'Authorization', 'Basic token']), 'key');
    assert.equal(dialectKey([]), undefined);
  });

  it('returns nothing if a header is repeated', () => {
    const [bearer, key] = [
      ['authorization', 'Bearer a'],
      ['x-api-key', 'b'],
    ];
    for (const raw of [
      [bearer, bearer, key],
      [bearer, key, key],
      [key, key],
    ]) {
      assert.equal(dialectKey(raw.flat()), undefined);
    }
  });
});
