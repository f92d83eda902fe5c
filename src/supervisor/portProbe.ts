// What is on a port: nothing, one of our own proxies, or another program.
import type { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { fieldsOf, parseJson } from '../shared/json.ts';
import { CHALLENGE_HEADER, REPORT_HEADER, WINDOW_HEADER } from '../shared/ownership.ts';
import { authenticateChallenge, digestKeySet, makeChallenge, openReport } from '../shared/ownership.ts';
import type { ProxyReport } from '../shared/ownership.ts';
import { fetchLocal } from './localHttp.ts';
import { findHolder } from './portHold.ts';
import type { PortHolder } from './portHold.ts';
import { ownershipSecret } from './supervisorHost.ts';
import type { SupervisorSecrets } from './supervisorHost.ts';

// In milliseconds.
/** How long a proxy may take to answer. */
export const HEALTH_LIMIT = 3000;
const ATTEMPTS = 3;
const BETWEEN_ATTEMPTS = 100;
/** How often a port that seemed free must be unusable to count as held: another window may only be trying it. */
const HOLD_ATTEMPTS = 3;
const HOLD_INTERVAL = 50;
/** How long a proxy may take to receive changed keys. */
const KEYS_LIMIT = 1000;
const KEYS_INTERVAL = 50;

export type ReadSecrets = () => Promise<SupervisorSecrets>;

/** What is on a port. */
export type Probe =
  /** Nothing listens. */
  | { readonly kind: 'free' }
  /** A proxy with our ownership secret. */
  | { readonly kind: 'own'; readonly report: ProxyReport }
  /** It accepts connections and does not respond: another program, or an own proxy that is suspended. */
  | { readonly kind: 'unresponsive' }
  /**
   * It responds without a valid proof. `isSealedProxy`: it says that it is a Sealed Proxy, of another editor or computer.
   * Any program can say so: only the text for the user depends on it.
   */
  | { readonly kind: 'foreign'; readonly isSealedProxy: boolean }
  /** Nothing listens, and a proxy cannot listen either: see portHold.ts. */
  | { readonly kind: 'held'; readonly by: PortHolder };

const FOREIGN: Probe = { kind: 'foreign', isSealedProxy: false };

/**
 * Finds out what is on the port. The request contains a random challenge, its authentication code and no secret.
 * @param secret the ownership secret
 */
export async function probe(port: number, secret: Uint8Array, agent?: Agent): Promise<Probe> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await probeOnce(port, secret, agent);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ECONNREFUSED') return { kind: 'free' };
      if (code === 'ETIMEDOUT') return { kind: 'unresponsive' };
      // A proxy that is ending resets connections it has not accepted yet: try again.
      if (code !== 'ECONNRESET' || attempt === ATTEMPTS) return FOREIGN;
      await delay(BETWEEN_ATTEMPTS);
    }
  }
}

async function probeOnce(port: number, secret: Uint8Array, agent: Agent | undefined): Promise<Probe> {
  const challenge = makeChallenge();
  const headers = {
    [CHALLENGE_HEADER]: challenge,
    [WINDOW_HEADER]: authenticateChallenge(secret, challenge, port),
  };
  const { headers: answer, body } = await fetchLocal({ port, path: '/health', headers, agent }, HEALTH_LIMIT);
  const sealed = answer[REPORT_HEADER];
  const report = typeof sealed === 'string' ? openReport(secret, challenge, port, sealed) : undefined;
  if (report !== undefined) return { kind: 'own', report };
  return { kind: 'foreign', isSealedProxy: fieldsOf(parseJson(body))['service'] === 'sealed-proxy' };
}

/** `probe` with the current ownership secret. */
export async function probePort(port: number, readSecrets: ReadSecrets, agent?: Agent): Promise<Probe> {
  return probe(port, ownershipSecret(await readSecrets()), agent);
}

/**
 * `probePort` for a window that decides by it. A proxy that is ending does not prove what it is any more, and soon leaves
 * the port, so a Sealed Proxy without a proof is probed again.
 */
export async function probeSteadily(port: number, readSecrets: ReadSecrets): Promise<Probe> {
  for (let attempt = 1; ; attempt++) {
    const found = await probePort(port, readSecrets);
    if (found.kind !== 'foreign' || !found.isSealedProxy || attempt === ATTEMPTS) return found;
    await delay(BETWEEN_ATTEMPTS);
  }
}

/**
 * What is on a port that seemed free. It counts as held only if nothing responds and a proxy cannot listen, several times:
 * the proxy of another window may just have taken it, or another window tries it, as this one does.
 */
export async function confirmFree(port: number, readSecrets: ReadSecrets, attempts = HOLD_ATTEMPTS): Promise<Probe> {
  for (let attempt = 1; ; attempt++) {
    const by = await findHolder(port);
    if (by === undefined) return { kind: 'free' };
    const found = await probeSteadily(port, readSecrets);
    if (found.kind !== 'free') return found;
    if (by === 'system' || attempt === attempts) return { kind: 'held', by };
    await delay(HOLD_INTERVAL * (1 + Math.random())); // two windows do not try it in step
  }
}

/** Probes the port until its proxy uses the current keys, `isFinal` is true, or a second has passed. */
export async function probeKeys(
  port: number,
  readSecrets: ReadSecrets,
  isFinal: (found: Probe) => boolean,
): Promise<{ readonly found: Probe; readonly isCurrent: boolean }> {
  const limit = Date.now() + KEYS_LIMIT;
  for (;;) {
    const secrets = await readSecrets();
    const secret = ownershipSecret(secrets);
    const found = await probe(port, secret);
    const isCurrent =
      found.kind === 'own' && found.report.keySetDigest === digestKeySet(secret, secrets.apiKey, secrets.accessKeys);
    if (isCurrent || isFinal(found) || Date.now() > limit) return { found, isCurrent };
    await delay(KEYS_INTERVAL);
  }
}
