// A PAC script over HTTP, and a window that uses it.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runInNewContext } from 'node:vm';
import type { Page } from 'playwright-core';

export interface PacServer {
  readonly url: string;
  /** The script, which can change. */
  script: string;
  close(): Promise<void>;
}

export async function openPacServer(script: string): Promise<PacServer> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/x-ns-proxy-autoconfig' }).end(pac.script);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const pac: PacServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/proxy.pac`,
    script,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
  return pac;
}

/**
 * Reloads a window of VS Code in a browser, which then resolves proxies by a PAC script. On the desktop, the editor's main
 * process does; in a browser, its front end has an empty function in that place. The extension host asks both in the same way.
 */
export async function usePac(page: Page, pacUrl: string): Promise<void> {
  await page.exposeFunction('findProxyForUrl', async (url: string) => {
    const script = await (await fetch(pacUrl)).text();
    const { hostname } = new URL(url);
    return String(runInNewContext(`${script}\nFindProxyForURL(url, host)`, { url, host: hostname }));
  });
  const empty = /async resolveProxy\((\w+)\)\{\}/;
  await page.route('**/workbench.js', async (route) => {
    const response = await route.fetch();
    const source = await response.text();
    if (!empty.test(source)) throw new Error('The front end of VS Code has changed: it has no empty resolveProxy()');
    const body = source.replace(empty, 'async resolveProxy($1){return globalThis.findProxyForUrl($1)}');
    await route.fulfill({ response, body });
  });
  await page.reload();
}
