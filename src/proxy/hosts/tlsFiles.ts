// The certificate and the key of the listener, which are in files: read and checked, and loaded again when they change.
import { X509Certificate, createPrivateKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { ConfigError } from '../../settings/proxyConfig.ts';
import type { ProxyConfig } from '../../settings/proxyConfig.ts';
import { codeOf } from '../../shared/errors.ts';
import { Queue } from '../../shared/queue.ts';
import type { Log } from '../process/log.ts';
import { contextOptions } from '../server/tls.ts';
import type { TlsIdentity } from '../server/tls.ts';
import { FileError, readSecretText } from './commandLineFiles.ts';
import { FileWatch, readProblem, shownPath } from './secretFiles.ts';
import type { Service } from './service.ts';

type Paths = Pick<ProxyConfig, 'tlsCertificateFile' | 'tlsKeyFile'>;

/** What the files contain, after all checks. */
export interface TlsFiles extends TlsIdentity {
  /** The certificate of the listener, without those of its issuers. */
  readonly leaf: X509Certificate;
}

/** In bytes; the longest chains have a few kilobytes. */
const LIMIT = 1024 * 1024;

/** A block without its end stops at the next one: to search the rest of the file for each would take minutes. */
const PEM = /-----BEGIN ([A-Z0-9 ]+)-----[^-]*(?:-(?!----)[^-]*)*-----END \1-----/g;

/**
 * True if the listener uses TLS.
 * @throws ConfigError if only one of the files is set
 */
export function usesTls({ tlsCertificateFile, tlsKeyFile }: Paths): boolean {
  if ((tlsCertificateFile === '') === (tlsKeyFile === '')) return tlsCertificateFile !== '';
  const missing = tlsCertificateFile === '' ? 'tlsCertificateFile' : 'tlsKeyFile';
  throw new ConfigError(
    missing,
    'it is missing or empty: set PROXY_TLS_CERT_FILE and PROXY_TLS_KEY_FILE together, or neither of them',
  );
}

/**
 * Reads and checks both files.
 * @throws (rejection) ConfigError, which shows the path of a file and nothing of its content
 */
export async function readTlsFiles(paths: Paths): Promise<TlsFiles> {
  const certificates = await read(paths, 'tlsCertificateFile', parseCertificates);
  const key = await read(paths, 'tlsKeyFile', parseKey);
  const [leaf] = certificates;
  if (!leaf.checkPrivateKey(key)) {
    throw certificates.some((other) => other.checkPrivateKey(key))
      ? refusal(paths, 'tlsCertificateFile', 'the certificate of the server must be the first one in the file')
      : refusal(
          paths,
          'tlsKeyFile',
          'the key does not belong to the certificate: set both files of the same certificate',
        );
  }
  const identity = {
    cert: certificates.map(String).join(''),
    key: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
  try {
    createSecureContext(contextOptions(identity));
  } catch (error) {
    const reason = `OpenSSL refuses this certificate or its key (${codeOf(error) ?? 'unknown'}): make one with ECDSA P-256 or with RSA of 2048 bits or more`;
    throw refusal(paths, 'tlsCertificateFile', reason);
  }
  return { ...identity, leaf };
}

/**
 * Reads the certificate of the listener alone, to recognise it.
 * @throws (rejection) as `readTlsFiles`
 */
export async function readListenerCertificate(paths: Paths): Promise<X509Certificate> {
  const [leaf] = await read(paths, 'tlsCertificateFile', parseCertificates);
  return leaf;
}

/** What is wrong with the period of a certificate; undefined: clients accept it at this time, in milliseconds since 1970. */
export function periodProblem({ validFromDate, validToDate }: X509Certificate, now: number): string | undefined {
  if (now > validToDate.getTime()) {
    return `The certificate of the listener expired at ${validToDate.toISOString()}, and clients refuse it. Replace its file and that of the key.`;
  }
  if (now < validFromDate.getTime()) {
    return `The certificate of the listener is valid from ${validFromDate.toISOString()} only, and clients refuse it until then. Check the clock of this computer, or replace the file.`;
  }
  return undefined;
}

async function read<Parsed>(
  paths: Paths,
  name: keyof Paths,
  parse: (text: string, refuse: (reason: string) => Error) => Parsed,
): Promise<Parsed> {
  try {
    return parse(await readSecretText(paths[name], LIMIT), (reason) => refusal(paths, name, reason));
  } catch (error) {
    throw error instanceof FileError ? new ConfigError(name, readProblem(paths[name], error)) : error;
  }
}

function refusal(paths: Paths, name: keyof Paths, reason: string): ConfigError {
  return new ConfigError(name, `${shownPath(paths[name])}: ${reason}`);
}

function parseCertificates(
  text: string,
  refuse: (reason: string) => Error,
): readonly [X509Certificate, ...X509Certificate[]] {
  const blocks = [...text.matchAll(PEM)].filter(([, type]) => type === 'CERTIFICATE' || type === 'TRUSTED CERTIFICATE');
  const [leaf, ...issuers] = blocks.map(([pem], index) => {
    try {
      return new X509Certificate(pem);
    } catch {
      throw refuse(`certificate ${index + 1} in the file is damaged`);
    }
  });
  if (leaf !== undefined) return [leaf, ...issuers];
  throw refuse(
    text.includes('PRIVATE KEY-----')
      ? 'this is the file of a private key, and not of a certificate'
      : 'the file has no certificate in PEM; to convert one in DER, run: openssl x509 -inform der -in FILE -out NEW_FILE; for PKCS#12: openssl pkcs12 -in FILE -nodes -out NEW_FILE',
  );
}

function parseKey(text: string, refuse: (reason: string) => Error): KeyObject {
  const block = [...text.matchAll(PEM)].find(([, type = '']) => type.endsWith('PRIVATE KEY'));
  if (block === undefined) {
    throw refuse(
      text.includes('-----BEGIN CERTIFICATE-----')
        ? 'this is the file of a certificate, and not of a private key'
        : 'the file has no private key in PEM; to convert one in DER, run: openssl pkey -inform der -in FILE -out NEW_FILE; for PKCS#12: openssl pkcs12 -in FILE -nodes -out NEW_FILE',
    );
  }
  const [pem, type = ''] = block;
  if (type.startsWith('ENCRYPTED') || pem.includes('Proc-Type: 4,ENCRYPTED')) {
    throw refuse(
      'the key is encrypted with a password; to decrypt it into a file that only the proxy can read, run: openssl pkey -in FILE -out NEW_FILE',
    );
  }
  try {
    return createPrivateKey(pem);
  } catch {
    throw refuse('the private key is damaged');
  }
}

/** Loads the files while the proxy runs: on SIGHUP, and when one of them changes. */
export class TlsReload {
  /** What the files contained at the start. */
  readonly first: TlsFiles;
  readonly #paths: Paths;
  readonly #log: Log;
  #service: Pick<Service, 'setTls'> | undefined;
  readonly #queue = new Queue();

  private constructor(paths: Paths, log: Log, first: TlsFiles) {
    this.#paths = paths;
    this.#log = log;
    this.first = first;
  }

  /**
   * Reads the files for the first time.
   * @returns undefined without TLS
   * @throws (rejection) as `usesTls` and `readTlsFiles`
   */
  static async begin(paths: Paths, log: Log): Promise<TlsReload | undefined> {
    if (!usesTls(paths)) return undefined;
    const names = [paths.tlsCertificateFile, paths.tlsKeyFile];
    const watch = await FileWatch.begin(names, () => void reload.load('file'));
    const reload = new TlsReload(paths, log, await readTlsFiles(paths));
    watch.start();
    return reload;
  }

  /** From now on, what is loaded goes to this service. */
  start(service: Pick<Service, 'setTls'>): void {
    this.#service = service;
    this.#report('tls', this.first);
  }

  /** One after the other, so that the latest content counts. Resolves when the files are loaded, or were not. */
  load(cause: 'SIGHUP' | 'file'): Promise<void> {
    return this.#queue.run(() => this.#load(cause));
  }

  async #load(cause: string): Promise<void> {
    try {
      const files = await readTlsFiles(this.#paths);
      this.#service?.setTls(files);
      this.#report('tls_reloaded', files, { cause });
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      const note = 'The previous certificate and key stay in use.';
      this.#log.warn('tls_not_reloaded', { cause, reason: error.message, note });
    }
  }

  #report(event: string, { leaf }: TlsFiles, fields: Readonly<Record<string, string>> = {}): void {
    this.#log.info(event, { ...fields, validUntil: leaf.validToDate.toISOString() });
    const note = periodProblem(leaf, Date.now());
    if (note !== undefined) this.#log.warn('tls_certificate', { note });
  }
}
