import assert from 'node:assert/strict';
import { dashboardPage } from '../../../src/dashboard/page.ts';

const SOURCES = {
  cspSource: 'https://*.vscode-cdn.net',
  scriptUri: 'https://file+.vscode-resource.vscode-cdn.net/dist/dashboard.js',
  styleUri: 'https://file+.vscode-resource.vscode-cdn.net/dist/dashboard.css',
  nonce: 'abc123',
};

describe('dashboardPage', () => {
  it('allows its script and its style, and nothing else', () => {
    assert.equal(
      policyOf(dashboardPage(SOURCES)),
      "default-src 'none'; script-src 'nonce-abc123'; style-src https://*.vscode-cdn.net; base-uri 'none'; form-action 'none'",
    );
  });

  it('has no inline script or style, and nothing from other places', () => {
    const page = dashboardPage(SOURCES);
    assert.deepEqual(
      [...page.matchAll(/<script[^>]*>(.*?)<\/script>/gs)].map(([, text]) => text),
      [''],
    );
    assert.doesNotMatch(page, /<style|\sstyle=|\son\w+=|unsafe/);
    assert.deepEqual(
      [...page.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, url]) => url),
      [SOURCES.styleUri, SOURCES.scriptUri],
    );
  });

  it('has a language and a title', () => {
    const page = dashboardPage(SOURCES);
    assert.match(page, /^<!DOCTYPE html>\n<html lang="en">/);
    assert.match(page, /<title>Sealed Proxy<\/title>/);
  });

  it('escapes addresses', () => {
    const page = dashboardPage({ ...SOURCES, scriptUri: 'https://x/"><img src=x>&' });
    assert.ok(page.includes('src="https://x/&quot;&gt;&lt;img src=x&gt;&amp;"'));
  });
});

function policyOf(page: string): string {
  return /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? '';
}
