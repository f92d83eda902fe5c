// Certificates of a listener in files, and connections to it.
import { X509Certificate, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import type { ConnectionOptions, TLSSocket } from 'node:tls';
import type { TlsIdentity } from '../../src/devEnclave/attestation/tlsIdentity.ts';
import { identityFor } from './e2e/companyProxy.ts';
import { DEADLINE, withTimeout } from './withTimeout.ts';

export const HOUR = 3_600_000;

/** A folder with the files of a listener. */
export class TlsFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'sealed-proxy-tls-'));
  readonly certificate = join(this.path, 'cert.pem');
  readonly key = join(this.path, 'key.pem');
  /** What clients trust: each authority whose certificate was written. */
  readonly authorities: string[] = [];

  get settings() {
    return { PROXY_TLS_CERT_FILE: this.certificate, PROXY_TLS_KEY_FILE: this.key };
  }

  /** Writes a new certificate, with those of its issuers, and its key. */
  write(identity: TlsIdentity = identityFor('localhost')): TlsIdentity {
    writeFileSync(this.certificate, identity.cert);
    writeFileSync(this.key, identity.key);
    this.authorities.push(identity.ca);
    return identity;
  }

  /** An agent whose requests have a connection each, and which verifies the listener. */
  agent(): Agent {
    return new Agent({ ca: this.authorities, servername: 'localhost', maxCachedSessions: 0 });
  }

  /** Resolves after the handshake with a listener that is verified. */
  async connect(port: number, options: ConnectionOptions = {}): Promise<TLSSocket> {
    const socket = connect({ port, host: '127.0.0.1', ca: this.authorities, servername: 'localhost', ...options });
    await withTimeout('a TLS connection', DEADLINE, once(socket, 'secureConnect'));
    return socket;
  }

  remove(): void {
    rmSync(this.path, { recursive: true });
  }
}

/** The serial number of the first certificate, as hexadecimal digits. */
export function serialOf({ cert }: Pick<TlsIdentity, 'cert'>): string {
  return new X509Certificate(cert).serialNumber;
}

/** A key in PEM that belongs to no certificate; with a password, encrypted. */
export function otherKey(password?: string): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const cipher = password === undefined ? {} : { cipher: 'aes-256-cbc', passphrase: password };
  return privateKey.export({ type: 'pkcs8', format: 'pem', ...cipher }).toString();
}
