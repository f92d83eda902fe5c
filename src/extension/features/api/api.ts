// The public API: the value that `activate` returns, and the results of the API's commands.
import * as vscode from 'vscode';
import { isClientName } from '../../../keys/accessKeys.ts';
import { Consents } from '../../../keys/consents.ts';
import type { Secrets } from '../../../keys/secrets.ts';
import { describeStatus, summaryOf } from '../../../presentation/statusText.ts';
import { asLabel } from '../../../shared/escape.ts';
import { fieldsOf } from '../../../shared/json.ts';
import type { ProxyStatus } from '../../../shared/status.ts';
import { baseUrlOf } from '../../../shared/status.ts';
import type { Supervisor } from '../../../supervisor/supervisor.ts';
import type { Commands } from '../../core/commands.ts';
import type { Core } from '../../core/core.ts';
import { EXTENSION_ID } from '../../core/extensionId.ts';
import type { SealedProxyApi, SealedProxyConnection, SealedProxyStatus } from './apiTypes.ts';
import { callStack, callerIn } from './caller.ts';

export function registerApi(core: Core) {
  const api = new PublicApi(core);
  return {
    getBaseUrl: () => api.getBaseUrl(),
    forExtensions: () => api.forExtensions(),
    commands: {
      getBaseUrl: () => api.getBaseUrl(),
      getStatus: () => api.status(),
      getConnection: (argument) => api.getConnection(fieldsOf(argument)['client']),
    } satisfies Commands,
  };
}

class PublicApi {
  readonly #supervisor: Supervisor;
  readonly #secrets: Secrets;
  readonly #changed: vscode.Event<ProxyStatus>;
  readonly #consents = new Consents(askConsent, async (name) => {
    await this.#secrets.accessKeyNamed(name, 'client');
    await this.#supervisor.secretsChanged(false); // so that the key works when the client gets it
  });

  constructor({ supervisor, secrets, onStatus }: Core) {
    this.#supervisor = supervisor;
    this.#secrets = secrets;
    this.#changed = onStatus;
  }

  /**
   * The base URL, with `/v1`. Starts the proxy if it is not running.
   * @throws Error if it cannot be started, with a message for the user
   */
  async getBaseUrl(): Promise<string> {
    const before = this.#supervisor.status;
    const isStopped = before.kind === 'off' && before.allWindows === true; // only the user ends that
    if (!isStopped && ['off', 'starting'].includes(before.kind)) await this.#supervisor.start();
    await this.#settled();
    const { status } = this.#supervisor;
    const url = baseUrlOf(status);
    if (url === undefined) throw new Error(summaryOf(describeStatus(status)));
    return url;
  }

  /** Resolves when a proxy that is starting, or restarting after a crash, runs or has failed. */
  async #settled(): Promise<void> {
    const isSettled = ({ kind }: ProxyStatus) => kind !== 'restarting' && kind !== 'starting';
    if (isSettled(this.#supervisor.status)) return;
    await new Promise<void>((resolve) => {
      const subscription = this.#changed((status) => {
        if (!isSettled(status)) return;
        subscription.dispose();
        resolve();
      });
    });
  }

  status(): SealedProxyStatus {
    return publicStatus(this.#supervisor.status);
  }

  /**
   * The base URL and an access key for the client of this name. The user is asked once whether to allow it, and is shown
   * the extension that calls, if it is known. Call it synchronously: it reads the stack of its caller.
   * @throws TypeError for a name that cannot be used; Error if the user declines or the proxy cannot be started
   */
  async getConnection(client: unknown): Promise<SealedProxyConnection> {
    const stack = callStack();
    const name = typeof client === 'string' ? client.trim() : '';
    if (!isClientName(name)) {
      throw new TypeError(
        'getConnection needs {"client": "NAME"}, where NAME is 1 to 64 letters, digits, spaces or punctuation marks.',
      );
    }
    if ((await this.#secrets.findAccessKey(name, 'client')) === undefined)
      await this.#consents.ask(name, describeCaller(stack));
    const baseUrl = await this.getBaseUrl();
    const known = await this.#secrets.findAccessKey(name, 'client');
    if (known === undefined) throw new Error(`The access key of ${name} was revoked.`);
    return { baseUrl, apiKey: known.key };
  }

  /** The value that `activate` returns. */
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

/** A sentence about the extension that calls, as far as it is known. */
function describeCaller(stack: string): string {
  const caller = callerIn(stack, vscode.extensions.all, EXTENSION_ID);
  if (caller === undefined) return 'VS Code does not tell which extension or program asks.';
  const { displayName } = fieldsOf(caller.packageJSON);
  const title = typeof displayName === 'string' ? `${asLabel(displayName)} (${caller.id})` : caller.id;
  return `The request comes from the extension ${title}.`;
}

async function askConsent(name: string, origin: string): Promise<boolean> {
  const allow = 'Allow';
  const detail =
    `${origin} The program chose that name itself: allow it only if you expect this request.\n\n` +
    'It gets its own access key, which works on this computer only and can be revoked at any time. It never gets your API key.';
  const question = `Allow a program that calls itself "${name}" to use Sealed Proxy?`;
  return (await vscode.window.showInformationMessage(question, { modal: true, detail }, allow)) === allow;
}

/** The status as other extensions see it. Contains no secret. */
function publicStatus(status: ProxyStatus): SealedProxyStatus {
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
