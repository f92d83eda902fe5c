// Published as it is: it must need no other file.

/**
 * What `vscode.extensions.getExtension<SealedProxyApi>('sealed-proxy.sealed-proxy')?.activate()` returns, in an extension
 * that runs on the same host. On another host, call the commands `sealedProxy.getBaseUrl`, `sealedProxy.getStatus` and
 * `sealedProxy.getConnection` ({ client }); their arguments and results are the same values as JSON.
 */
export interface SealedProxyApi {
  readonly version: 1;
  /** `http://127.0.0.1:PORT/v1` while the proxy runs. */
  readonly baseUrl: string | undefined;
  readonly status: SealedProxyStatus;
  /** Called after each change; dispose the result to stop. */
  onDidChangeStatus(listener: (status: SealedProxyStatus) => void): { dispose(): void };
  /**
   * The base URL and an access key for the client of this name. Asks the user once for permission, and starts the proxy
   * if needed. Rejects if the user declines or the proxy cannot be started.
   */
  getConnection(client: string): Promise<SealedProxyConnection>;
}

export interface SealedProxyConnection {
  /** With `/v1`. */
  readonly baseUrl: string;
  /** An access key that only this client has and only this proxy accepts. Once it is revoked, responses are 401. */
  readonly apiKey: string;
}

export interface SealedProxyStatus {
  readonly state:
    | 'off'
    | 'starting'
    | 'restarting'
    | 'failed'
    | 'portTaken'
    | 'otherVersion'
    | 'otherSettings'
    | 'noKey'
    | 'checking'
    | 'connected'
    | 'keyRejected'
    | 'unreachable'
    | 'slow';
  readonly baseUrl: string | null;
  /** The IDs of the models, while connected. */
  readonly models: readonly string[] | null;
  /** `development`: a development backend on this computer, which is not verified. */
  readonly verified: 'verified' | 'development' | null;
  /** The proxy runs in another window. */
  readonly shared: boolean;
}
