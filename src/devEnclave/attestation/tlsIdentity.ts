import { X509Certificate } from 'node:crypto';
import { chainSpecs, issueChain } from './authority.ts';
import { encodeDer } from './der.ts';

/** The key and certificates of a server, as PEM. */
export interface TlsIdentity {
  readonly key: string;
  /** The leaf, then its issuers. */
  readonly cert: string;
  /** What a client must trust. */
  readonly ca: string;
}

const SUBJECT_ALT_NAME = '2.5.29.17';
/** Context tags of GeneralName (RFC 5280 section 4.2.1.6). */
const DNS_NAME = 0x82;
const IP_ADDRESS = 0x87;

/**
 * Issues a certificate for https on `127.0.0.1` and `localhost` from a temporary authority.
 * @param now milliseconds since 1970; valid for three hours from then
 */
export function createTlsIdentity(now: number): TlsIdentity {
  const [root, zone, instance, leaf] = chainSpecs(now);
  const names = encodeDer(
    'sequence',
    encodeDer(DNS_NAME, Buffer.from('localhost')),
    encodeDer(IP_ADDRESS, Uint8Array.of(127, 0, 0, 1)),
  );
  const extensions = [...leaf.extensions, { oid: SUBJECT_ALT_NAME, critical: false, value: names }];
  const authority = issueChain([root, zone, instance, { ...leaf, extensions }]);
  return {
    key: authority.leaf.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    cert: [authority.leaf.der, ...authority.cabundle.slice(1).toReversed()].map(toPem).join(''),
    ca: authority.anchors.roots.map(toPem).join(''),
  };
}

/** Encodes a certificate as PEM. */
export function toPem(der: Uint8Array): string {
  return new X509Certificate(der).toString();
}
