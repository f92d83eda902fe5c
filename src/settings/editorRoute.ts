// The proxy that the editor itself would use for a URL.
import { asObject, fieldsOf, textOf } from '../shared/json.ts';
import type { NetworkSettings } from '../shared/messages.ts';
import type { ProxyRoute, ProxySource } from '../shared/network.ts';
import { configuredRoute } from './proxyRoute.ts';

type Resolve = (url: string) => unknown;

/** The editor's names for the sources of a proxy. */
const SOURCES: Readonly<Record<string, ProxySource>> = {
  localhost: 'local',
  noProxyConfig: 'exception',
  noProxyEnv: 'exception',
  setting: 'setting',
  env: 'environment',
  remote: 'none',
  system: 'system',
  system_cached: 'system',
  fallback: 'system',
};

/**
 * @param agent what the editor's own module `@vscode/proxy-agent` exports: `resolveProxyURL`, and in newer editors
 *   `resolveProxyByURL`. Without its answer, the settings and the environment decide.
 */
export async function findEditorRoute(
  url: string,
  network: NetworkSettings,
  environment: Readonly<Record<string, string | undefined>>,
  agent: unknown,
): Promise<ProxyRoute> {
  const configured = configuredRoute(url, network, environment);
  const { resolveProxyByURL, resolveProxyURL } = { ...asObject(agent) };
  if (configured.source === 'off') return configured;
  // The editor keeps answers for as long as it runs, by host and user name. A new user name here makes it ask
  // again, since the network may have changed (https://github.com/microsoft/vscode/issues/174279).
  const question = new URL(url);
  question.username = crypto.randomUUID();
  try {
    if (isResolve(resolveProxyByURL)) {
      const { url: proxy, source } = fieldsOf(await resolveProxyByURL(question.href));
      return { url: textOf(proxy), source: SOURCES[textOf(source)] ?? 'system' };
    }
    if (!isResolve(resolveProxyURL)) return configured;
    const proxy = textOf(await resolveProxyURL(question.href));
    const isConfigured = configured.url === '' ? configured.source === 'exception' : proxy !== '';
    return { url: proxy, source: isConfigured ? configured.source : 'system' };
  } catch {
    return configured;
  }
}

function isResolve(value: unknown): value is Resolve {
  return typeof value === 'function';
}
