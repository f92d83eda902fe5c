// TLS for the connections of clients.
import { constants } from 'node:crypto';
import type { SecureContextOptions } from 'node:tls';

/** What the listener presents to clients, as PEM. */
export interface TlsIdentity {
  /** The certificate, then those of its issuers. */
  readonly cert: string;
  readonly key: string;
}

/** In milliseconds. A connection can also be closed before to make room for others. */
export const HANDSHAKE_TIMEOUT = 10_000;

/** Each has forward secrecy and authenticated encryption. The first ones are those of TLS 1.3. */
const CIPHERS = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE+AESGCM',
  'ECDHE+CHACHA20',
];

/** TLS 1.3 is used with every client that has it. */
export function contextOptions({ cert, key }: TlsIdentity): SecureContextOptions {
  return {
    cert,
    key,
    minVersion: 'TLSv1.2',
    ciphers: CIPHERS.join(':'),
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION, // a client could repeat the expensive part on one connection
  };
}
