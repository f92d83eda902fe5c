// The network of a company: an HTTP proxy that tunnels, and the servers it reaches.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { basicConstraints, issueChain, keyUsage } from '../../../src/devEnclave/attestation/authority.ts';
import { encodeDer } from '../../../src/devEnclave/attestation/der.ts';
import { toPem } from '../../../src/devEnclave/attestation/tlsIdentity.ts';
import type { TlsIdentity } from '../../../src/devEnclave/attestation/tlsIdentity.ts';

export interface CompanyProxy {
  readonly url: string;
  /** `host:port` of each requested tunnel, in order. */
  readonly tunnels: readonly string[];
  /** `user:password` of each, in order; empty without credentials. */
  readonly credentials: readonly string[];
  close(): Promise<void>;
}

export interface ProxyAuthentication {
  /** `user:password`; undefined: no credentials are good enough. */
  readonly credentials?: string;
  /** The challenges of the refusal. */
  readonly challenges: readonly string[];
  /** Of the refusal, by default 407. */
  readonly status?: number;
}

/**
 * Tunnels to local ports by the `host:port` keys of `routes`; refuses every other tunnel with 502.
 * @param authentication refuses a request unless a request has these credentials
 */
export async function openCompanyProxy(
  routes: Readonly<Record<string, number>>,
  authentication?: ProxyAuthentication,
): Promise<CompanyProxy> {
  const tunnels: string[] = [];
  const credentials: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((_request, response) => response.writeHead(501).end());
  server.on('connect', (request, socket: Socket) => {
    tunnels.push(request.url ?? '');
    const [, encoded = ''] = request.headers['proxy-authorization']?.split(' ') ?? [];
    const given = Buffer.from(encoded, 'base64').toString();
    credentials.push(given);
    socket.on('error', () => undefined);
    sockets.add(socket);
    if (authentication !== undefined && (given === '' || given !== authentication.credentials)) {
      const challenges = authentication.challenges.map((challenge) => `proxy-authenticate: ${challenge}\r\n`);
      socket.end(
        `HTTP/1.1 ${authentication.status ?? 407} Authentication Required\r\n${challenges.join('')}content-length: 0\r\n\r\n`,
      );
      return;
    }
    const port = routes[request.url ?? ''];
    if (port === undefined) {
      socket.end('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n');
      return;
    }
    const target = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      socket.pipe(target).pipe(socket);
    });
    target.on('error', () => socket.destroy());
    socket.once('close', () => target.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tunnels,
    credentials,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

export interface FileServer {
  readonly port: number;
  /** The requested targets, in order. */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

/** Serves `files` by path over https. */
export async function openFileServer(
  tls: TlsIdentity,
  files: Readonly<Record<string, Uint8Array>>,
): Promise<FileServer> {
  const requests: string[] = [];
  const server = createTlsServer({ key: tls.key, cert: tls.cert }, ({ url = '' }, response) => {
    requests.push(url);
    const file = files[url];
    if (file === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': 'text/plain' }).end(file);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

const SUBJECT_ALT_NAME = '2.5.29.17';
const DNS_NAME = 0x82;
const HOUR = 3_600_000;

/** A certificate for these names, from a new authority. */
export function identityFor(...names: readonly string[]): TlsIdentity {
  const [notBefore, notAfter] = [Date.now() - HOUR, Date.now() + HOUR];
  const value = encodeDer('sequence', ...names.map((name) => encodeDer(DNS_NAME, Buffer.from(name))));
  const { leaf, cabundle } = issueChain([
    {
      subject: `authority ${randomBytes(8).toString('hex')}`,
      notBefore,
      notAfter,
      extensions: [basicConstraints(true), keyUsage('keyCertSign')],
    },
    {
      ...{ subject: names[0] ?? '', notBefore, notAfter },
      extensions: [
        basicConstraints(false),
        keyUsage('digitalSignature'),
        { oid: SUBJECT_ALT_NAME, critical: false, value },
      ],
    },
  ]);
  const key = leaf.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  return { key, cert: toPem(leaf.der), ca: cabundle.map(toPem).join('') };
}
