import assert from 'node:assert/strict';
import { EditorProxies } from '../../../../src/proxy/hosts/editorProxies.ts';

const ROUTE = { url: 'http://pac.example:3128', source: 'system' } as const;

describe('EditorProxies', () => {
  it('asks once for simultaneous calls, and again afterwards', async () => {
    const asked: string[] = [];
    const proxies = new EditorProxies((url) => asked.push(url));
    const finding = [proxies.find('https://a/'), proxies.find('https://a/'), proxies.find('https://b/')];
    proxies.found('https://a/', ROUTE);
    proxies.found('https://b/', { url: '', source: 'none' });
    assert.deepEqual(await Promise.all(finding), [ROUTE, ROUTE, { url: '', source: 'none' }]);
    assert.deepEqual(asked, ['https://a/', 'https://b/']);
    const again = proxies.find('https://a/');
    proxies.found('https://a/', ROUTE);
    assert.deepEqual(await again, ROUTE);
    assert.equal(asked.length, 3);
  });

  it('gives up after a time limit', async () => {
    const proxies = new EditorProxies(() => undefined, 1);
    const keepAlive = setTimeout(() => undefined, 20_000);
    assert.equal(await proxies.find('https://a/'), undefined);
    clearTimeout(keepAlive);
  });

  it('ignores an answer to no question', () => {
    new EditorProxies(() => undefined).found('https://a/', ROUTE);
  });
});
