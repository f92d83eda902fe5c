import { AttestationError } from '../../attestation/errors.ts';
import type { SessionError } from '../../session/errors.ts';
import { codeOf } from '../../shared/errors.ts';
import { ProxyError } from './proxyError.ts';

/** Whether a code of the system's TLS means that the other side sends plain text. */
export function isWithoutTls(code: string | null): boolean {
  return code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG';
}

type Description = ReturnType<typeof describeError>;

const NAME_ADVICE =
  'check the URL of the backend, the DNS of this computer, and whether this network needs an HTTP proxy (HTTPS_PROXY)';
const TRUST_ADVICE =
  'its certificate is not trusted here; if this network inspects TLS, name its certificate authority with NODE_EXTRA_CA_CERTS';
const ADVICE: Readonly<Partial<Record<string, string>>> = {
  ECONNREFUSED: 'check the URL of the backend, and whether it runs',
  ENOTFOUND: NAME_ADVICE,
  EAI_AGAIN: NAME_ADVICE,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: TRUST_ADVICE,
  SELF_SIGNED_CERT_IN_CHAIN: TRUST_ADVICE,
  DEPTH_ZERO_SELF_SIGNED_CERT: TRUST_ADVICE,
  CERT_HAS_EXPIRED: 'its certificate has expired, or the clock of this computer is wrong',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet, or the clock of this computer is wrong',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name; check the URL of the backend',
  UND_ERR_SOCKET: 'the server closed the connection, or does not speak HTTP; check the URL of the backend and its port',
  UND_ERR_SOCKS5_AUTH_FAILED: 'the SOCKS5 proxy refused the user name and the password in HTTPS_PROXY',
  UND_ERR_SOCKS5_VERSION:
    'what HTTPS_PROXY names is not a SOCKS5 proxy; for an HTTP proxy, its URL begins with http://',
};

/**
 * The same for a failed handshake, with what to do.
 * @param basePath the path of the backend's URL
 */
export function describeHandshakeFailure(error: SessionError, basePath: string): Description {
  const description = describeError(error);
  const { code, detail, message } = description;
  const advice = code.startsWith('handshake_') ? serverAdvice(code, basePath) : ADVICE[detail ?? ''];
  return advice === undefined ? description : { ...description, message: `${message}: ${advice}` };
}

function serverAdvice(code: string, basePath: string): string {
  if (basePath.endsWith('/v1'))
    return `the URL of the backend ends with ${basePath}; it must not have the path of the API, so remove it`;
  return code === 'handshake_unavailable'
    ? 'it cannot accept connections right now; if this continues, check the URL of the backend'
    : 'the server is not a working enclave; check the URL of the backend';
}

/** What the log may show of an error: its code and message, and only the code of a cause from outside. */
export function describeError(error: SessionError): { code: string; detail: string | null; message: string } {
  const { code, message, cause } = error;
  if (cause instanceof AttestationError) {
    // A known skew means that the document is genuine and this computer's clock is wrong.
    return { code, detail: cause.clockSkewMs === undefined ? cause.code : 'clock', message };
  }
  if (cause instanceof ProxyError) {
    return { code, detail: cause.code, message: code === 'network' ? cause.message : `${message}: ${cause.message}` };
  }
  const detail = codeOf(cause) ?? null;
  if (isWithoutTls(detail)) {
    const advice = 'check the port of the backend, and whether its URL must begin with http:// (only on this computer)';
    return { code, detail, message: `The server does not speak TLS (${detail}): ${advice}` };
  }
  return { code, detail, message };
}
