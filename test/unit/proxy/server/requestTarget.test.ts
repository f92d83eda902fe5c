import assert from 'node:assert/strict';
import { readHost, readTarget } from '../../../../src/proxy/server/requestTarget.ts';

describe('readTarget()', () => {
  it('takes a path with its query as it is', () => {
    for (const url of ['/', '/health', '/v1/models?a=1&b=%20', '//x', '/x?http://y', '/*'])
      assert.deepEqual(readTarget('GET', url), { target: url });
  });

  it('splits an absolute target into authority and path', () => {
    for (const [url, target, authority] of [
      ['http://127.0.0.1:1/health', '/health', '127.0.0.1:1'],
      ['HTTP://localhost/v1/models?x=http://y/', '/v1/models?x=http://y/', 'localhost'],
      ['http://[::1]:1/', '/', '[::1]:1'],
      ['http://localhost', '/', 'localhost'],
      ['http://localhost?x=1', '/?x=1', 'localhost'],
      ['http:///x', '/x', ''],
    ] as const) {
      assert.deepEqual(readTarget('GET', url), { target, authority }, url);
    }
    assert.deepEqual(readTarget('GET', 'HTTPS://localhost/x', 'https'), { target: '/x', authority: 'localhost' });
    assert.equal(readTarget('GET', 'http://localhost/x', 'https'), undefined);
    assert.deepEqual(readTarget('OPTIONS', 'http://localhost'), { target: '*', authority: 'localhost' });
  });

  it('takes an asterisk for OPTIONS alone', () => {
    assert.deepEqual(readTarget('OPTIONS', '*'), { target: '*' });
    for (const method of ['GET', 'HEAD', 'POST']) assert.equal(readTarget(method, '*'), undefined, method);
  });

  it('refuses everything else', () => {
    for (const url of [
      ...['', 'health', '?', '*/x', '**', 'localhost:1', 'https://localhost/', 'ftp://localhost/', 'http:/x', 'http:'],
      ...['/x#f', '/#', '/x?a#b', 'http://localhost/#f', 'http://localhost#f', '/a\\b', '/\xe9', '/x y', '/\0'],
      ...['http://localhost/\xe9'],
    ]) {
      for (const method of ['GET', 'OPTIONS']) assert.equal(readTarget(method, url), undefined, JSON.stringify(url));
    }
  });
});

describe('readHost()', () => {
  it('requires exactly one valid Host header', () => {
    for (const raw of [
      [],
      ['Accept', 'localhost'],
      ['Host', 'localhost', 'host', 'localhost'],
      ['Host', 'localhost', 'Host', 'evil.example'],
      ...[
        '',
        ' ',
        'user@localhost',
        'localhost/x',
        'localhost:x',
        'a b',
        '::1',
        '[::1',
        'http://localhost',
        'a\\b',
      ].map((host) => ['Host', host]),
    ]) {
      assert.equal(readHost(raw), undefined, raw.join());
      assert.equal(readHost(raw, 'localhost'), undefined, raw.join());
    }
  });

  it('returns the name without the port, in lower case and without brackets', () => {
    for (const [host, name] of [
      ['LOCALHOST', 'localhost'],
      ['127.0.0.1:80', '127.0.0.1'],
      ['[FE80::1]:80', 'fe80::1'],
      ['rebinding.example:', 'rebinding.example'],
    ] as const) {
      assert.equal(readHost(['HOST', host]), name);
    }
  });

  it('takes the host of an absolute target in place of the header', () => {
    assert.equal(readHost(['Host', 'localhost'], 'rebinding.example:1'), 'rebinding.example');
    assert.equal(readHost(['Host', 'rebinding.example'], 'localhost'), 'localhost');
    for (const authority of ['', 'user@localhost', 'localhost:x', ':80'])
      assert.equal(readHost(['Host', 'localhost'], authority), undefined, authority);
  });
});
