// The columns of the table: what is measured, and how each is started.
import { fileURLToPath } from 'node:url';
import { CHAT, MESSAGES, RESPONSES } from '../client.ts';
import type { Api } from '../client.ts';
import { PeerTarget } from '../processes/peer.ts';
import { startSealed } from '../processes/sealed.ts';
import { NodeTarget } from '../processes/target.ts';
import type { NodeOptions, Target } from '../processes/target.ts';

/**
 * `direct`: the backend itself. `bare`: a relay without encryption. `native`: another proxy's binary. `sealed`: the proxy.
 * `electron`: the same without native ChaCha20-Poly1305, as in Electron. `messages` and `responses`: its translators.
 */
export const COLUMNS = ['direct', 'bare', 'native', 'sealed', 'electron', 'messages', 'responses'] as const;
export type Column = (typeof COLUMNS)[number];

export interface Entrance {
  /** Of the backend. */
  readonly url: string;
  readonly api: Api;
  /** Starts a process to measure; undefined for the backend itself. */
  readonly start: (options?: NodeOptions) => Promise<Target | undefined>;
}

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** @param backend the URLs of its two entrances */
export function openColumns(
  { plain, enclave }: { readonly plain: string; readonly enclave: string },
  { peer, node }: { readonly peer: string | undefined; readonly node: string },
): ReadonlyMap<Column, Entrance> {
  const sealed = (api: Api, preloads: readonly string[] = []): Entrance => ({
    url: plain,
    api,
    start: (options) => startSealed(enclave, { node, preloads, ...options }),
  });
  const entrances: Readonly<Record<Column, Entrance | undefined>> = {
    direct: { url: plain, api: CHAT, start: () => Promise.resolve(undefined) },
    bare: {
      url: plain,
      api: CHAT,
      start: (options) => NodeTarget.start(here('../processes/bareRelay.ts'), [plain], { node, ...options }),
    },
    native: peer === undefined ? undefined : { url: plain, api: CHAT, start: () => PeerTarget.start(peer, enclave) },
    sealed: sealed(CHAT),
    electron: sealed(CHAT, [here('../../test/support/boringssl.mjs')]),
    messages: sealed(MESSAGES),
    responses: sealed(RESPONSES),
  };
  return new Map(
    COLUMNS.flatMap((column) => {
      const entrance = entrances[column];
      return entrance === undefined ? [] : [[column, entrance] as const];
    }),
  );
}
