import type { ProxyReport } from '../../src/shared/ownership.ts';
import { VERSION } from '../../src/shared/version.ts';

/** What a proxy on this port says of itself before anything has happened. */
export function aReport(port: number, change: Partial<ProxyReport> = {}): ProxyReport {
  return {
    version: VERSION,
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
    ...change,
  };
}
