// What the supervisor needs from the window it works for.
import type { ConfigError } from '../settings/proxyConfig.ts';
import type { CompleteProxySettings } from '../settings/schema.ts';
import type { FromProxy, ImageRules, NetworkSettings } from '../shared/messages.ts';
import type { ProxyRoute } from '../shared/network.ts';
import type { ProxyStatus } from '../shared/status.ts';

export interface SupervisorSecrets {
  readonly apiKey: string | null;
  readonly accessKeys: readonly string[];
  /** The extension's own access key, one of `accessKeys`. */
  readonly ownKey: string;
  /** Base64 of 32 bytes, the same in every window: windows and proxies that share it recognize each other. */
  readonly ownership: string;
  /** Base64 of 32 bytes. */
  readonly cacheNamespaceRoot: string;
}

export interface SupervisorHost {
  /** Path of the proxy's bundle. */
  readonly module: string;
  /** The working folder of the proxy process. */
  readonly cwd: string;
  /** The version of the extension in this window. */
  readonly version: string;
  readonly settings: () => CompleteProxySettings;
  readonly network: () => NetworkSettings;
  /** What the user has said about enclave images of the backend in `settings`; left out: all are used that are approved. */
  readonly images?: () => ImageRules;
  /** The proxy that the editor would use for this URL. Needed if `network` has `asksEditor`. */
  readonly findProxy?: (url: string) => Promise<ProxyRoute>;
  /** Milliseconds between two checks of the backend; 0 = only when asked. */
  readonly checkInterval: () => number;
  readonly secrets: () => Promise<SupervisorSecrets>;
  readonly onStatus: (status: ProxyStatus) => void;
  readonly onLog: (line: string) => void;
  /** A client used the access key with this id. */
  readonly onKeyUsed: (id: string) => void;
  /** This window's process answered a chat request made with the access key of this id. */
  readonly onChatAnswered: (id: string) => void;
  /** What the clients of this window's process have used. */
  readonly onUsage: (usage: Pick<Extract<FromProxy, { type: 'usageSums' }>, 'since' | 'sums'>) => void;
  /** The proxy cannot start because of these settings. */
  readonly onRefused: (problems: readonly ConfigError[]) => void;
}

export function ownershipSecret({ ownership }: SupervisorSecrets): Uint8Array {
  return Buffer.from(ownership, 'base64');
}
