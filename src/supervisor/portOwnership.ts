// All windows share one proxy on one port: what is on the port, and what a window can do about it.
import { createHash } from 'node:crypto';
import { Agent } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { CompleteProxySettings } from '../settings/schema.ts';
import { digestKeySet } from '../shared/ownership.ts';
import type { ProxyReport } from '../shared/ownership.ts';
import type { ProxyStatus } from '../shared/status.ts';
import { VERSION } from '../shared/version.ts';
import { VerifiedConnection, probe } from './localProxy.ts';
import type { Probe } from './localProxy.ts';
import type { Phase } from './phase.ts';
import { ownershipSecret } from './supervisorHost.ts';
import type { SupervisorSecrets } from './supervisorHost.ts';

// In milliseconds.
/** How long a proxy may take to release its port. */
const RELEASE_LIMIT = 3000;
const RELEASE_INTERVAL = 20;
/** How long a proxy may take to receive changed keys. */
const KEYS_LIMIT = 1000;
const KEYS_INTERVAL = 50;
/** Between two probes of a port that this window cannot use. */
const WATCH_INTERVAL = 15_000;

type ReadSecrets = () => Promise<SupervisorSecrets>;

/** The role of a window on its port. */
export type Ownership =
  | { readonly kind: 'owner' | 'client'; readonly port: number; readonly report: ProxyReport }
  | {
      readonly kind: 'blocked';
      /** For `watchPort`. Anything but an own proxy counts as foreign, even a program that holds the port without listening. */
      readonly found: Probe;
      readonly status: Extract<ProxyStatus, { kind: 'portTaken' | 'otherVersion' | 'otherSettings' }>;
    };

/**
 * The role of a window with these settings, given what is on their port. The window could not take the port, so a port
 * that seems free counts as taken too.
 */
export function decideOwnership(found: Probe, settings: CompleteProxySettings): Ownership {
  const { port } = settings;
  if (found.kind !== 'own') {
    const unresponsive = found.kind === 'unresponsive';
    return { kind: 'blocked', found: { kind: 'foreign' }, status: { kind: 'portTaken', port, unresponsive } };
  }
  const { report } = found;
  const { version, backendUrl } = report;
  if (version !== VERSION) return { kind: 'blocked', found, status: { kind: 'otherVersion', port, version } };
  if (report.trustFingerprint === trustFingerprint(settings)) return { kind: 'client', port, report };
  return { kind: 'blocked', found, status: { kind: 'otherSettings', port, backendUrl } };
}

/** Identifies the backend and the enclave images that a proxy with these settings trusts. */
export function trustFingerprint({ backendUrl, pcr0Environment, additionalPcr0 }: CompleteProxySettings): string {
  const images = additionalPcr0.map((value) => value.trim().toLowerCase()).toSorted();
  const trusted = [backendUrl.trim().replace(/(?<!\/)\/+$/, ''), pcr0Environment.trim(), ...images];
  return createHash('sha256').update(JSON.stringify(trusted)).digest('base64url');
}

/** `probe` with the current ownership secret. */
export async function probePort(port: number, readSecrets: ReadSecrets, agent?: Agent): Promise<Probe> {
  return probe(port, ownershipSecret(await readSecrets()), agent);
}

/** Asks an own proxy to release its port. Resolves when the port is free, or after three seconds. Never rejects. */
export async function requestPort(port: number, readSecrets: ReadSecrets): Promise<void> {
  try {
    const secret = ownershipSecret(await readSecrets());
    const connection = new VerifiedConnection(port, secret);
    try {
      if ((await connection.probe()).kind === 'own') await connection.askForPort();
    } finally {
      connection.end();
    }
    const limit = Date.now() + RELEASE_LIMIT;
    while (Date.now() < limit && (await probe(port, secret)).kind !== 'free') await delay(RELEASE_INTERVAL);
  } catch {
    // The caller probes the port next, and finds out whether it is free.
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

/** An agent with one connection to an own proxy. Calls `onGone` when the idle connection closes: the proxy is gone. */
export function watchOwner(phase: Phase, onGone: () => unknown): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let watched: Socket | undefined;
  agent.on('free', (socket: Socket) => {
    if (phase.isOver) socket.destroy(); // a probe was still running
    if (watched === socket) return;
    watched = socket;
    socket.once('close', () => {
      if (!phase.isOver) onGone();
    });
  });
  void phase.left.then(() => {
    agent.destroy();
  });
  return agent;
}

/**
 * Calls `onChange` when what is on the port has changed. Probes the port every 15 seconds, and at once when an
 * own proxy goes away.
 * @param port 0 is never watched
 * @param known the latest probe; undefined: only the arrival of an own proxy is a change
 */
export function watchPort(
  phase: Phase,
  port: number,
  known: Probe | undefined,
  readSecrets: ReadSecrets,
  onChange: () => unknown,
): void {
  const look = async (agent?: Agent) => {
    const found = await probePort(port, readSecrets, agent).catch(() => known);
    if (isChange(known, found) && !phase.isOver) onChange();
    else phase.after(WATCH_INTERVAL, () => void look());
  };
  if (port === 0) return;
  if (known?.kind === 'own') void look(watchOwner(phase, () => void look()));
  else phase.after(WATCH_INTERVAL, () => void look());
}

function isChange(known: Probe | undefined, found: Probe | undefined): boolean {
  if (known === undefined || found === undefined) return found?.kind === 'own';
  return identify(known) !== identify(found);
}

/** Equal for programs that a window treats alike. One that does not respond may respond next time. */
function identify(found: Probe): string {
  if (found.kind === 'own') return `${found.report.version} ${found.report.trustFingerprint}`;
  return found.kind === 'free' ? 'free' : 'foreign';
}
