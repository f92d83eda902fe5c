/** The HTTP proxy on the way to the backend did not open a tunnel. */
export type ProxyErrorCode =
  /** No connection to the proxy. */
  | 'proxy_unreachable'
  /** 407: the proxy wants a user name and a password. */
  | 'proxy_authentication'
  /** 407: the proxy accepts only schemes that cannot be used here, such as Kerberos and NTLM. */
  | 'proxy_authentication_unsupported'
  /** Any other status. */
  | 'proxy_refused'
  /** A kind of proxy that cannot be used here, such as SOCKS4. */
  | 'proxy_unsupported';

/** The message is a sentence for users. It never contains credentials. */
export class ProxyError extends Error {
  readonly code: ProxyErrorCode;

  constructor(code: ProxyErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ProxyError';
    this.code = code;
  }
}
