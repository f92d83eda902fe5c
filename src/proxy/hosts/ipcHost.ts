// Hosted by another process: settings and secrets come by message, never by environment or argument; what happens goes
// back by message; when the channel closes, the process ends.
import { parseToProxy } from '../../shared/messages.ts';
import { fromBase64 } from '../../shared/bytes.ts';
import type { FromProxy, ProxySecrets, ProxySettings, ToProxy } from '../../shared/messages.ts';
import { VERSION } from '../../shared/version.ts';
import { EXIT, GRACE, listenFailure } from './commandLineHost.ts';
import { NOTHING, sentenceOf, settingOf, toValues } from '../../settings/editorSettings.ts';
import { ConfigError, readLiveSettings, readSettings } from '../../settings/settings.ts';
import { checkSecrets, readCacheRoot } from './config.ts';
import type { LiveSettings, Values } from '../../settings/settings.ts';
import type { Config } from './config.ts';
import { describeError } from '../backend/describeError.ts';
import { Log } from '../log.ts';
import { startService } from '../service.ts';
import type { Service, ServiceEvents } from '../service.ts';

type Start = Extract<ToProxy, { type: 'start' }>;

/** Serves the process at the other end of the channel until it says stop, or is gone. */
export function serveParent(): void {
  const hosted = new IpcHost((message) => {
    if (process.connected) process.send?.(message);
  });
  process.on('message', (message) => {
    hosted.receive(message);
  });
  process.on('disconnect', () => process.exit(EXIT.ok));
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, () => {
      hosted.signalled();
    });
  }
}

class IpcHost {
  readonly #send: (message: FromProxy) => void;
  readonly #log = new Log('info', (text) => process.stderr.write(text));
  #starting = false;
  #stopping = false;
  #signals = 0;
  #stops = 0;
  #tail: Promise<void> = Promise.resolve();
  #service: Service | undefined;
  #values: Values = {};

  constructor(send: (message: FromProxy) => void) {
    this.#send = send;
  }

  /** Takes messages in their order: none overtakes a start that is under way. A stop does not wait. */
  receive(value: unknown): void {
    const message = parseToProxy(value);
    if (message === undefined) this.#fail('invalid_message', 'The proxy was sent a message that it does not know');
    else if (message.type === 'stop') this.#told();
    else this.#tail = this.#tail.then(() => this.#handle(message));
  }

  /** Asked by signal: for a second time, it ends at once. */
  signalled(): void {
    if (this.#signals++ > 0) process.exit(EXIT.ok);
    void this.#finish();
  }

  /** Asked by message, the same. One of each is one request: Ctrl-C reaches the host and this process. */
  #told(): void {
    if (this.#stops++ > 0) process.exit(EXIT.ok);
    void this.#finish();
  }

  async #handle(message: Exclude<ToProxy, { type: 'stop' }>): Promise<void> {
    try {
      if (message.type === 'start') await this.#start(message);
      else if (message.type === 'update') this.#update(message.settings);
      else this.#setKeys(message.secrets);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      this.#fail('invalid_setting', sentenceOf(error), settingOf(error.variable));
    }
  }

  async #start({ settings, secrets, cacheNamespaceRoot, network, trustFingerprint }: Start): Promise<void> {
    if (this.#starting) {
      this.#fail('invalid_message', 'The proxy was started already');
      return;
    }
    this.#values = toValues(settings);
    const config: Config = {
      ...readSettings(this.#values),
      ...checkSecrets(secrets.apiKey, secrets.accessKeys),
      cacheNamespaceRoot: readCacheRoot({ PROXY_CACHE_NAMESPACE_ROOT: cacheNamespaceRoot.trim() || NOTHING }),
    };
    this.#starting = true;
    this.#log.setLevel(config.logLevel);
    try {
      this.#service = await startService({
        config,
        log: this.#log,
        network,
        ...(trustFingerprint !== undefined && { trustFingerprint }),
        events: this.#events(),
        ...ownershipOf(secrets),
      });
    } catch (error) {
      this.#starting = false;
      if (error instanceof ConfigError) throw error;
      const { exitCode, setting, sentence } = listenFailure(error, config);
      this.#fail(exitCode === EXIT.portTaken ? 'port_taken' : 'cannot_listen', sentence, setting);
      return;
    }
    const { url, port } = this.#service;
    this.#send({ type: 'ready', url, port, version: VERSION });
  }

  #events(): ServiceEvents {
    return {
      releaseAsked: () => void this.#finish(),
      outcomeChanged: (success) => {
        this.#send({ type: 'outcomeChanged', success });
      },
      accessKeyUsed: (id) => {
        this.#send({ type: 'accessKeyUsed', id });
      },
      chatAnswered: (id) => {
        this.#send({ type: 'chatAnswered', id });
      },
      verified: (verified) => {
        this.#send({ type: 'verified', verified, establishedAt: Date.now() });
      },
      sessionLost: (reason) => {
        this.#send({ type: 'sessionLost', reason });
      },
      handshakeFailed: (error) => {
        this.#send({ type: 'handshakeFailed', ...describeError(error) });
      },
    };
  }

  #update(settings: ProxySettings): void {
    const values = { ...this.#values, ...toValues(settings) };
    const live: LiveSettings = readLiveSettings(values);
    this.#values = values;
    this.#service?.update(live);
  }

  #setKeys(secrets: Start['secrets']): void {
    const { apiKey, accessKeys } = checkSecrets(secrets.apiKey, secrets.accessKeys);
    this.#service?.setKeys({ apiKey, accessKeys, ownership: ownershipOf(secrets).ownership ?? null });
  }

  async #finish(): Promise<void> {
    if (this.#stopping) return;
    this.#stopping = true;
    await this.#service?.stop(GRACE, () => {
      this.#send({ type: 'stopped' });
    });
    process.exit(EXIT.ok);
  }

  #fail(code: Extract<FromProxy, { type: 'failed' }>['code'], message: string, setting: string | null = null): void {
    this.#send({ type: 'failed', code, setting, message });
  }
}

/** The secret as bytes; left out if it is none. */
function ownershipOf({ ownership }: ProxySecrets): { ownership?: Uint8Array } {
  const bytes = ownership === undefined ? undefined : fromBase64(ownership);
  return bytes?.length === 32 ? { ownership: bytes } : {};
}
