// What `--health` and `--ready` ask the running proxy.
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import type { TLSSocket } from 'node:tls';
import { readEnvironment } from '../../settings/environment.ts';
import type { Values } from '../../settings/environment.ts';
import { ConfigError } from '../../settings/proxyConfig.ts';
import type { ProxyConfig } from '../../settings/proxyConfig.ts';
import { codeOf } from '../../shared/errors.ts';
import { fieldsOf, parseJson } from '../../shared/json.ts';
import { EXIT, complain } from './exit.ts';
import { readListenerCertificate, usesTls } from './tlsFiles.ts';

/** Of a probe, in milliseconds. */
const TIMEOUT = 5000;
/** How long the proxy may take to load a new certificate, and the time between two attempts, in milliseconds. */
const RELOAD_LIMIT = 3500;
const RELOAD_STEP = 500;
const NO_RESPONSE = `no response within ${TIMEOUT / 1000} seconds`;

/** What a probe of the running proxy asks for, and what it must answer. */
export interface Probe {
  readonly path: string;
  readonly adjective: string;
  /** Why the response is not the one that is sought; undefined: it is. */
  readonly failureOf: (status: number | undefined, body: unknown) => string | undefined;
}

const TLS_ADVICE = ' (if it uses TLS, set PROXY_TLS_CERT_FILE and PROXY_TLS_KEY_FILE here too)';
const NOTHING_ADVICE = ': nothing listens there: start the proxy, or set PROXY_PORT to its port';
const OTHER_PROGRAM = 'another program uses this port';

export const HEALTH: Probe = {
  path: '/health',
  adjective: 'healthy',
  failureOf: (code, body) => {
    const { status, service } = fieldsOf(body);
    return code === 200 && status === 'ok' && service === 'sealed-proxy' ? undefined : OTHER_PROGRAM;
  },
};

export const READY: Probe = {
  path: '/ready',
  adjective: 'ready',
  failureOf: (code, body) => {
    const { status, reason, message } = fieldsOf(body);
    if (code === 200 && status === 'ready') return undefined;
    return code === 503 && status === 'not_ready' ? `${String(reason)}: ${String(message)}` : OTHER_PROGRAM;
  },
};

/** Checks the running proxy, for the probes of a container. */
export async function probeRunning(environment: Values, probe: Probe): Promise<number> {
  try {
    const config = readEnvironment(environment);
    const { host, port } = config;
    if (port === 0) {
      const advice = 'set PROXY_PORT to the port in the first line of its output';
      return complain(EXIT.failed, `PROXY_PORT is 0, so the port of the running proxy is not known: ${advice}`);
    }
    const address = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
    const failure = await probeAt(address, config, probe);
    if (failure === undefined) return EXIT.ok;
    return complain(EXIT.failed, `no ${probe.adjective} proxy on ${address} port ${port}: ${failure}`);
  } catch (error) {
    if (error instanceof ConfigError) return complain(EXIT.failed, error.message);
    throw error;
  }
}

async function probeAt(host: string, config: ProxyConfig, probe: Probe): Promise<string | undefined> {
  const signal = AbortSignal.timeout(TIMEOUT);
  if (!usesTls(config)) return findFailure(host, config.port, probe, signal);
  const socket = await connectEncrypted(host, config, signal);
  return typeof socket === 'string' ? socket : findFailure(host, config.port, probe, signal, socket);
}

/**
 * Connects to the proxy with TLS, and accepts exactly the certificate in its file, whatever names it has and whoever issued it.
 * @returns the sentence about a failure
 */
async function connectEncrypted(host: string, config: ProxyConfig, signal: AbortSignal): Promise<TLSSocket | string> {
  for (const deadline = Date.now() + RELOAD_LIMIT; ;) {
    const expected = await readListenerCertificate(config);
    const socket = await handshake(host, config.port, signal);
    if (typeof socket === 'string' || socket.getPeerX509Certificate()?.fingerprint256 === expected.fingerprint256) {
      return socket;
    }
    socket.destroy();
    if (Date.now() > deadline) {
      return 'it does not have the certificate of PROXY_TLS_CERT_FILE; the line tls_not_reloaded in its log may say why';
    }
    await sleep(RELOAD_STEP);
  }
}

function handshake(host: string, port: number, signal: AbortSignal): Promise<TLSSocket | string> {
  return new Promise((resolve) => {
    // The caller compares the certificate itself.
    const socket = connect({ host, port, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] }, () => {
      resolve(socket);
    });
    socket.on('error', (error: Error) => {
      const code = codeOf(error) ?? '';
      resolve(code.startsWith('ERR_SSL') ? `it does not answer with TLS (${code})` : describe(error));
    });
    socket.once('close', () => {
      resolve('the connection was closed during the TLS handshake');
    });
    signal.addEventListener('abort', () => {
      resolve(NO_RESPONSE);
      socket.destroy();
    });
  });
}

/** @param socket is connected already; left out: connects without TLS */
function findFailure(
  host: string,
  port: number,
  { path, failureOf }: Probe,
  signal: AbortSignal,
  socket?: TLSSocket,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const connection = socket === undefined ? { agent: false } : { createConnection: () => socket };
    const check = request({ host, port, path, signal, ...connection }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', () => undefined); // `close` follows
      response.on('close', () => {
        if (!response.complete) resolve('the connection broke during the response');
        else resolve(failureOf(response.statusCode, parseJson(Buffer.concat(chunks))));
      });
    });
    check.on('error', (error) => {
      const { name, message } = error;
      const isClosed = socket === undefined && message === 'socket hang up';
      resolve(name === 'AbortError' ? NO_RESPONSE : isClosed ? `${message}${TLS_ADVICE}` : describe(error));
    });
    check.end();
  });
}

/** What happened to the connection, and what to do. */
function describe(error: Error): string {
  return codeOf(error) === 'ECONNREFUSED' ? error.message + NOTHING_ADVICE : error.message;
}
