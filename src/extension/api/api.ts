// What other extensions get: the value that `activate` returns, and the results of the commands.
import * as vscode from 'vscode';
import type { ProxyStatus } from '../../shared/status.ts';
import { baseUrlOf } from '../../shared/status.ts';
import { isClientName } from '../../keys/accessKeys.ts';
import { Consents } from '../../keys/consents.ts';
import type { SealedProxyApi, SealedProxyConnection, SealedProxyStatus } from './apiTypes.ts';
import type { Secrets } from '../../keys/secrets.ts';
import type { Supervisor } from '../../supervisor/supervisor.ts';

export class PublicApi {
  readonly #supervisor: Supervisor;
  readonly #secrets: Secrets;
  readonly #changed: vscode.Event<ProxyStatus>;
  readonly #consents = new Consents(askConsent, async (name) => {
    await this.#secrets.accessKeyNamed(name, 'client');
    await this.#supervisor.secretsChanged(false); // it counts when it is given out
  });

  constructor(supervisor: Supervisor, secrets: Secrets, changed: vscode.Event<ProxyStatus>) {
    this.#supervisor = supervisor;
    this.#secrets = secrets;
    this.#changed = changed;
  }

  /** The base URL with `/v1`; starts the proxy if it is not running. */
  async getBaseUrl(): Promise<string> {
    if (['off', 'starting'].includes(this.#supervisor.status.kind)) await this.#supervisor.start();
    await this.#restarted();
    const { status } = this.#supervisor;
    const url = baseUrlOf(status);
    if (url === undefined) throw new Error(vscode.l10n.t('Sealed Proxy is not running ({0}).', status.kind));
    return url;
  }

  /** A proxy that has crashed comes back by itself, or is given up. */
  async #restarted(): Promise<void> {
    const isOver = ({ kind }: ProxyStatus) => kind !== 'restarting' && kind !== 'starting';
    if (isOver(this.#supervisor.status)) return;
    await new Promise<void>((resolve) => {
      const subscription = this.#changed((status) => {
        if (!isOver(status)) return;
        subscription.dispose();
        resolve();
      });
    });
  }

  status(): SealedProxyStatus {
    return publicStatus(this.#supervisor.status);
  }

  /**
   * Base URL and an access key for `client`, an extension or program that is named to the person and has to be agreed to
   * once.
   */
  async getConnection(client: unknown): Promise<SealedProxyConnection> {
    const name = typeof client === 'string' ? client.trim() : '';
    if (!isClientName(name)) {
      throw new TypeError(
        'getConnection needs {"client": "..."}: a name of its own, of 1 to 64 letters, digits, spaces or simple marks',
      );
    }
    if ((await this.#secrets.findAccessKey(name, 'client')) === undefined) await this.#consents.ask(name);
    const baseUrl = await this.getBaseUrl();
    const known = await this.#secrets.findAccessKey(name, 'client');
    if (known === undefined) throw new Error(vscode.l10n.t('The access key of {0} was revoked.', name));
    return { baseUrl, apiKey: known.key };
  }

  /** For `activate` to return. */
  forExtensions(): SealedProxyApi {
    const current = () => this.#supervisor.status;
    return {
      version: 1,
      get baseUrl() {
        return baseUrlOf(current());
      },
      get status() {
        return publicStatus(current());
      },
      onDidChangeStatus: (listener: (status: SealedProxyStatus) => void) =>
        this.#changed((status) => {
          listener(publicStatus(status));
        }),
      getConnection: (client: string) => this.getConnection(client),
    };
  }
}

async function askConsent(name: string): Promise<boolean> {
  const allow = vscode.l10n.t('Allow');
  const answer = await vscode.window.showInformationMessage(
    vscode.l10n.t('Allow "{0}" to use Sealed Proxy?', name),
    {
      modal: true,
      detail: vscode.l10n.t(
        'It gets an access key of its own, which works on this computer only and can be revoked at any time. It never gets your API key.',
      ),
    },
    allow,
  );
  return answer === allow;
}

/** Nothing in it is secret. */
export function publicStatus(status: ProxyStatus): SealedProxyStatus {
  if (status.kind !== 'running')
    return { state: status.kind, baseUrl: null, models: null, verified: null, shared: false };
  const { health, verified, shared } = status;
  return {
    state: health.kind,
    baseUrl: baseUrlOf(status) ?? null,
    models: health.kind === 'connected' ? [...health.models] : null,
    verified: verified?.kind ?? null,
    shared,
  };
}
