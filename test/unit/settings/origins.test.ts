import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseOriginPattern } from '../../../src/settings/origins.ts';

describe('parseOriginPattern()', () => {
  for (const text of [
    '',
    '*',
    '*://*',
    'null',
    'https://*',
    'http://*',
    'HTTPS://*',
    'https://',
    'https://app.example/',
    'https://app.example/path',
    'https://app.example?x',
    'https://app.example#x',
    'https://user@app.example',
    'https://*.example',
    'https://app.*',
    'https://app example',
    ' https://app.example',
    'https:app.example',
    'app.example',
    '://app.example',
    '1https://app.example',
    'vscode-webview://**',
    'vscode-webview://*/',
    'vscode-webview://x*',
    'https://app.example\n',
  ]) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      assert.equal(parseOriginPattern(text), undefined);
    });
  }

  it('matches one origin by its host, ignoring case', () => {
    const matches = parseOriginPattern('https://App.Example:8443') ?? assert.fail();
    assert.equal(matches('https://app.example:8443'), true);
    assert.equal(matches('HTTPS://APP.EXAMPLE:8443'), true);
    for (const other of [
      'https://app.example',
      'http://app.example:8443',
      'https://app.example:84430',
      'https://app_example:8443',
    ]) {
      assert.equal(matches(other), false, other);
    }
  });

  it('matches every host of a scheme with *, and no other scheme', () => {
    const matches = parseOriginPattern('vscode-webview://*') ?? assert.fail();
    assert.equal(matches('vscode-webview://1234'), true);
    for (const other of [
      ...['vscode-webview2://1234', 'https://vscode-webview://1234', 'vscode-webview', 'null'],
      ...['vscode-webview://*', 'vscode-webview://', 'vscode-webview://a https://evil.example'],
      ...[
        'vscode-webview://a,https://evil.example b',
        'vscode-webview://a/b',
        'vscode-webview://a@b',
        'vscode-webview://a\n',
      ],
    ]) {
      assert.equal(matches(other), false, other);
    }
  });

  it('never matches a web page that is not listed', () => {
    const host = fc.domain();
    fc.assert(
      fc.property(host, host, fc.constantFrom('https', 'http'), (named, other, scheme) => {
        const matches = parseOriginPattern(`https://${named}`) ?? assert.fail();
        assert.equal(matches(`${scheme}://${other}`), scheme === 'https' && named === other);
        assert.equal(parseOriginPattern('vscode-webview://*')?.(`${scheme}://${other}`), false);
      }),
    );
  });
});
