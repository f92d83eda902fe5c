// All windows share one proxy on one port: what is on the port, and what a window can do about it.
import { createHash } from 'node:crypto';
import { Agent } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { CompleteProxySettings } from '../settings/schema.ts';
import { compareVersions } from '../shared/compareVersions.ts';
import { PROTOCOL, digestKeySet } from '../shared/ownership.ts';
import type { ProxyReport } from '../shared/ownership.ts';
import type { PortUser, ProxyStatus } from '../shared/status.ts';
import { VerifiedConnection, probe } from './localProxy.ts';
import type { Probe } from './localProxy.ts';
import type { Phase } from './phase.ts';
import { findHolder } from './portHold.ts';
import { ownershipSecret } from './supervisorHost.ts';
import type { SupervisorSecrets } from './supervisorHost.ts';

// In milliseconds.
/** Before a window takes over a port: a window that has asked for the port comes first. */
const TAKE_OVER_DELAY = 300;
/** The longest random delay on top, so that not all windows try at the same time. */
const RANDOM_DELAY = 600;
/** Between two looks for the proxy of the window for which this one has released its port. */
const SUCCESSOR_INTERVAL = 200;
/** How long that proxy may take to listen. */
const SUCCESSOR_LIMIT = 10_000;
/** How long a proxy may take to release its port. */
const RELEASE_LIMIT = 3000;
const RELEASE_INTERVAL = 20;
/** How often a port that seemed free must be unusable to count as held: another window may only be trying it. */
const HOLD_ATTEMPTS = 3;
const HOLD_INTERVAL = 50;
/** How long a proxy may take to receive changed keys. */
const KEYS_LIMIT = 1000;
const KEYS_INTERVAL = 50;
/** Between two probes of a port that this window cannot use. */
const WATCH_INTERVAL = 15_000;
/** The longest interval between two starts on a port that seems free, and is not. */
const MAX_WATCH_INTERVAL = 5 * 60_000;

type ReadSecrets = () => Promise<SupervisorSecrets>;

/** The role of a window on its port. */
export type Ownership =
  | { readonly kind: 'owner' | 'client'; readonly port: number; readonly report: ProxyReport }
  | {
      readonly kind: 'blocked';
      /** For `watchPort`. */
      readonly found: Probe;
      readonly status: Extract<ProxyStatus, { kind: 'portTaken' | 'otherVersion' | 'otherSettings' }>;
    };

/**
 * The role of a window of this version with these settings, given what is on their port. The window could not take the
 * port, so a port that seems free counts as held.
 */
export function decideOwnership(found: Probe, settings: CompleteProxySettings, version: string): Ownership {
  const { port } = settings;
  if (found.kind === 'free') return decideOwnership({ kind: 'held', by: 'program' }, settings, version);
  if (found.kind !== 'own') return { kind: 'blocked', found, status: { kind: 'portTaken', port, by: userOf(found) } };
  const { report } = found;
  if (report.protocol !== PROTOCOL) {
    const isNewer = compareVersions(report.version, version) > 0;
    return { kind: 'blocked', found, status: { kind: 'otherVersion', port, version: report.version, isNewer } };
  }
  if (report.trustFingerprint === trustFingerprint(settings)) return { kind: 'client', port, report };
  return { kind: 'blocked', found, status: { kind: 'otherSettings', port, backendUrl: report.backendUrl } };
}

function userOf(found: Exclude<Probe, { kind: 'own' | 'free' }>): PortUser {
  if (found.kind === 'unresponsive') return 'unresponsive';
  if (found.kind === 'held') return found.by === 'system' ? 'system' : 'silent';
  return found.isSealedProxy ? 'sealedProxy' : 'program';
}

/**
 * True if a window of this version replaces the proxy without asking: it has an older version and the same trust. A
 * window never replaces a newer version, so two windows cannot take the port from each other in turns.
 */
export function isOutdated(found: Probe, settings: CompleteProxySettings, version: string): boolean {
  if (found.kind !== 'own' || compareVersions(found.report.version, version) >= 0) return false;
  return found.report.trustFingerprint === trustFingerprint(settings);
}

/**
 * Asks the proxy that was found for the port if it is outdated. Never rejects.
 * @returns false if it was not asked
 */
export async function askOutdated(
  found: Probe,
  settings: CompleteProxySettings,
  version: string,
  readSecrets: ReadSecrets,
): Promise<boolean> {
  const isStillOutdated = (now: Probe) => isOutdated(now, settings, version);
  if (!isStillOutdated(found)) return false;
  await requestPort(settings.port, readSecrets, version, isStillOutdated);
  return true;
}

/** Identifies the backend and the enclave images that a proxy with these settings trusts. */
export function trustFingerprint({ backendUrl, pcr0Environment, additionalPcr0 }: CompleteProxySettings): string {
  const images = additionalPcr0.map((value) => value.trim().toLowerCase()).toSorted();
  const trusted = [backendUrl.trim().replace(/(?<!\/)\/+$/, ''), pcr0Environment.trim(), ...images];
  return createHash('sha256').update(JSON.stringify(trusted)).digest('base64url');
}

/** Milliseconds before a window takes over a port that is free. */
export function takeOverDelay(): number {
  return TAKE_OVER_DELAY + Math.random() * RANDOM_DELAY;
}

/** `probe` with the current ownership secret. */
export async function probePort(port: number, readSecrets: ReadSecrets, agent?: Agent): Promise<Probe> {
  return probe(port, ownershipSecret(await readSecrets()), agent);
}

/**
 * Asks an own proxy to release its port, unless it is newer than this version. Resolves when the port is free, when
 * another window's proxy has taken it, or after three seconds. Never rejects.
 * @param mayAsk false leaves the proxy that is now on the port alone: another window may have been faster
 */
export async function requestPort(
  port: number,
  readSecrets: ReadSecrets,
  version: string,
  mayAsk: (found: Probe) => boolean = () => true,
): Promise<void> {
  try {
    const secret = ownershipSecret(await readSecrets());
    const connection = new VerifiedConnection(port, secret);
    let instance: string | undefined;
    try {
      const found = await connection.probe();
      if (found.kind === 'own') {
        if (compareVersions(found.report.version, version) > 0 || !mayAsk(found)) return;
        await connection.askForPort();
        ({ instance } = found.report);
      }
    } finally {
      connection.end();
    }
    const limit = Date.now() + RELEASE_LIMIT;
    while (Date.now() < limit) {
      const found = await probe(port, secret);
      if (found.kind === 'free' || (found.kind === 'own' && found.report.instance !== instance)) return;
      await delay(RELEASE_INTERVAL);
    }
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
 * What is on a port that seemed free. It counts as held only if nothing responds and a proxy cannot listen, several times:
 * the proxy of another window may just have taken it, or another window tries it, as this one does.
 */
export async function confirmFree(port: number, readSecrets: ReadSecrets, attempts = HOLD_ATTEMPTS): Promise<Probe> {
  for (let attempt = 1; ; attempt++) {
    const by = await findHolder(port);
    if (by === undefined) return { kind: 'free' };
    const found = await probePort(port, readSecrets);
    if (found.kind !== 'free') return found;
    if (by === 'system' || attempt === attempts) return { kind: 'held', by };
    await delay(HOLD_INTERVAL * (1 + Math.random())); // two windows do not try it in step
  }
}

/**
 * For a window that has released its port for another one: calls `onEnd` when an own proxy is on it, or after ten seconds,
 * because the other window cannot start one.
 */
export function awaitSuccessor(phase: Phase, port: number, readSecrets: ReadSecrets, onEnd: () => unknown): void {
  const limit = Date.now() + SUCCESSOR_LIMIT;
  const look = async () => {
    const found = await probePort(port, readSecrets).catch(() => undefined);
    if (phase.isOver) return;
    if (found?.kind === 'own' || Date.now() >= limit) onEnd();
    else phase.after(SUCCESSOR_INTERVAL, () => void look());
  };
  phase.after(SUCCESSOR_INTERVAL, () => void look());
}

/**
 * Calls `onChange` when what is on the port has changed. Probes the port every 15 seconds, and at once when an
 * own proxy goes away.
 * @param port 0 is never watched
 * @param known the latest probe; undefined: only the arrival of an own proxy is a change
 * @param failures how often in a row a start found the port free and could not use it: with each, the interval doubles
 */
export function watchPort(
  phase: Phase,
  port: number,
  known: Probe | undefined,
  readSecrets: ReadSecrets,
  onChange: () => unknown,
  failures = 0,
): void {
  const interval = Math.min(WATCH_INTERVAL * 2 ** Math.max(0, failures - 1), MAX_WATCH_INTERVAL);
  const look = async (agent?: Agent) => {
    const found = await lookAt(port, known, readSecrets, agent).catch(() => known);
    if (isChange(known, found) && !phase.isOver) onChange();
    else phase.after(interval, () => void look());
  };
  if (port === 0) return;
  if (known?.kind === 'own') void look(watchOwner(phase, () => void look()));
  else phase.after(interval, () => void look());
}

async function lookAt(port: number, known: Probe | undefined, readSecrets: ReadSecrets, agent?: Agent): Promise<Probe> {
  const found = await probePort(port, readSecrets, agent);
  return found.kind === 'free' && known?.kind === 'held' ? confirmFree(port, readSecrets, 1) : found;
}

function isChange(known: Probe | undefined, found: Probe | undefined): boolean {
  if (known === undefined || found === undefined) return found?.kind === 'own';
  return identify(known) !== identify(found);
}

/** Equal for programs that a window treats alike. One that does not respond may respond next time. */
function identify(found: Probe): string {
  if (found.kind !== 'own') return found.kind === 'unresponsive' ? 'foreign' : found.kind;
  const { version, protocol, trustFingerprint: trust } = found.report;
  return [version, protocol, trust].join(' ');
}
