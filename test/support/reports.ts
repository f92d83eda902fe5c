import { PROTOCOL } from '../../src/shared/ownership.ts';
import type { ProxyReport } from '../../src/shared/ownership.ts';
import { VERSION } from '../../src/shared/version.ts';

/** The report of a proxy on this port that has just started. */
export function aReport(port: number, change: Partial<ProxyReport> = {}): ProxyReport {
  return {
    version: VERSION,
    protocol: PROTOCOL,
    port,
    instance: 'i'.repeat(43),
    backendUrl: 'http://127.0.0.1:9',
    trustFingerprint: '',
    keySetDigest: '',
    verified: null,
    establishedAt: null,
    failure: null,
    requestFailure: null,
    servedAt: null,
    network: null,
    ...change,
  };
}
