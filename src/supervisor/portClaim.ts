// The role of a window on the port that all windows share, and how it gets the port from another one.
import { hash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { CompleteProxySettings } from '../settings/schema.ts';
import { PROTOCOL } from '../shared/ownership.ts';
import type { ProxyReport } from '../shared/ownership.ts';
import type { PortUser, ProxyStatus } from '../shared/status.ts';
import { compareVersions } from '../shared/version.ts';
import { VerifiedConnection } from './localProxy.ts';
import { probe } from './portProbe.ts';
import type { Probe, ReadSecrets } from './portProbe.ts';
import { ownershipSecret } from './supervisorHost.ts';

// In milliseconds.
/** How long a proxy may take to release its port. */
const RELEASE_LIMIT = 3000;
const RELEASE_INTERVAL = 20;

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
  return hash('sha256', JSON.stringify(trusted), 'base64url');
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
