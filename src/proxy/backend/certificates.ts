// The certificate authorities for TLS. Those of the operating system are read in another process: on some computers this
// takes 40 seconds, and the only function for it blocks its thread. A worker would do, but a process that is exiting
// waits for a worker that is blocked, and would hold its port meanwhile.
import { execFile } from 'node:child_process';
import { setImmediate } from 'node:timers/promises';
import { createSecureContext, getCACertificates } from 'node:tls';
import type { SecureContext } from 'node:tls';
import { promisify } from 'node:util';
import { fieldsOf, parseJson } from '../../shared/json.ts';
import type { NetworkSettings } from '../../shared/messages.ts';
import type { CertificateReport } from '../../shared/network.ts';

const READ_SYSTEM = "process.stdout.write(JSON.stringify({ system: require('node:tls').getCACertificates('system') }))";
/** In bytes. A store has a few hundred certificates of 2 KB. */
const MAX_OUTPUT = 64 * 1024 * 1024;

export interface Certificates {
  /** Undefined: those that Node.js uses by default. */
  readonly secureContext: SecureContext | undefined;
  readonly report: CertificateReport;
}

/**
 * Reads the certificate authorities that the settings name. If those of the operating system cannot be read, the others
 * are used.
 * @param signal ends the reading
 */
export async function readCertificates(
  { certificates = [], systemCertificates = false }: NetworkSettings,
  signal: AbortSignal,
): Promise<Certificates> {
  await setImmediate(); // the proxy listens first
  const system = systemCertificates ? await readSystemCertificates(signal).catch(() => 'failed' as const) : null;
  const report: CertificateReport = {
    bundled: getCACertificates('bundled').length,
    extra: getCACertificates('extra').length,
    system: system === null || system === 'failed' ? system : system.length,
  };
  const more = [...(Array.isArray(system) ? system : []), ...certificates];
  if (more.length === 0) return { secureContext: undefined, report };
  return { secureContext: createSecureContext({ ca: [...getCACertificates('default'), ...more] }), report };
}

async function readSystemCertificates(signal: AbortSignal): Promise<string[]> {
  const options = { signal, maxBuffer: MAX_OUTPUT, windowsHide: true, killSignal: 'SIGKILL' } as const;
  const reading = promisify(execFile)(process.execPath, ['-e', READ_SYSTEM], options);
  const kill = () => reading.child.kill('SIGKILL');
  process.once('exit', kill);
  try {
    const system = fieldsOf(parseJson((await reading).stdout))['system'];
    if (!Array.isArray(system)) throw new Error('The certificates of the operating system could not be read');
    return system.filter((certificate) => typeof certificate === 'string');
  } finally {
    process.removeListener('exit', kill);
  }
}
