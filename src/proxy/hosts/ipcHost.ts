// The proxy as a child process: settings and secrets come as messages, never in the environment or as arguments. Events
// go back as messages. The process ends when the channel closes.
import { ConfigError, resolveConfig, resolveLiveConfig } from '../../settings/proxyConfig.ts';
import { SECRETS, isProxySettings } from '../../settings/schema.ts';
import type { ProxySettings } from '../../settings/schema.ts';
import { fromBase64 } from '../../shared/bytes.ts';
import { parseToProxy } from '../../shared/messages.ts';
import type { FromProxy, ProxySecrets, ToProxy } from '../../shared/messages.ts';
import { VERSION } from '../../shared/version.ts';
import { Log } from '../process/log.ts';
import { listenFailure } from './commandLineHost.ts';
import { checkKeys, parseCacheRoot } from './config.ts';
import type { Config } from './config.ts';
import { EditorProxies } from './editorProxies.ts';
import { EXIT, complain } from './exit.ts';
import { startService } from './service.ts';
import type { Service } from './service.ts';

/** How long running responses may take to finish when the proxy is asked to stop, in milliseconds. */
export const GRACE = 30_000;

/** How long the parent may take to send its first message, in milliseconds; the extension does so at once. */
const SILENCE = 5000;
const SILENT_PARENT =
  'the parent process opened an IPC channel, as the extension does, but sends no settings, so nothing is served; to start ' +
  'the proxy with settings from the environment (for example with pm2), remove the channel: env -u NODE_CHANNEL_FD node proxy.js';

type Message = ToProxy<ProxySettings>;
type Start = Extract<Message, { type: 'start' }>;
type Update = Extract<Message, { type: 'update' }>;

/**
 * Serves the parent process until it asks to stop, or ends.
 * @param mainFile as in `ServiceOptions`
 */
export function serveParent(mainFile: string): void {
  const host = new IpcHost(mainFile);
  const silence = setTimeout(() => complain(EXIT.failed, SILENT_PARENT), SILENCE);
  process.on('message', (message) => {
    clearTimeout(silence);
    host.receive(message);
  });
  process.on('disconnect', () => process.exit(EXIT.ok));
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, () => {
      host.stop('signal');
    });
  }
}

class IpcHost {
  readonly #log = new Log('info', (text) => process.stderr.write(text));
  readonly #stopRequests = new Set<'signal' | 'message'>();
  #stopping = false;
  #lastHandled: Promise<void> = Promise.resolve();
  #service: Service | undefined;
  #settings: ProxySettings = {};
  readonly #mainFile: string;
  /** Resolves when all messages so far are sent, or cannot be sent any more. */
  #sent: Promise<void> = Promise.resolve();
  readonly #proxies = new EditorProxies((url) => {
    this.#send({ type: 'findProxy', url });
  });

  constructor(mainFile: string) {
    this.#mainFile = mainFile;
  }

  /** Handles messages in order: each waits until the one before is done, except a stop and an answer. */
  receive(value: unknown): void {
    const message = parseToProxy(value, isProxySettings);
    if (message === undefined) this.#fail('invalid_message', 'The proxy received an unknown message');
    else if (message.type === 'stop') this.stop('message');
    else if (message.type === 'proxyFound') this.#proxies.found(message.url, message.route);
    else this.#lastHandled = this.#lastHandled.then(() => this.#handle(message));
  }

  /**
   * The second request from the same source ends the process at once. One from each is a single request: Ctrl-C reaches
   * this process directly, and through its parent.
   */
  stop(source: 'signal' | 'message'): void {
    if (this.#stopRequests.has(source)) process.exit(EXIT.ok);
    this.#stopRequests.add(source);
    void this.#finish();
  }

  async #handle(message: Exclude<Message, { type: 'stop' | 'proxyFound' }>): Promise<void> {
    try {
      if (message.type === 'start') await this.#start(message);
      else if (message.type === 'update') this.#update(message);
      else this.#setKeys(message.secrets);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      const { setting, editorMessage } = error;
      this.#fail('invalid_setting', editorMessage, setting in SECRETS ? null : setting);
    }
  }

  async #start({
    settings,
    secrets,
    cacheNamespaceRoot,
    network,
    images,
    trustFingerprint = '',
  }: Start): Promise<void> {
    if (this.#service !== undefined) {
      this.#fail('invalid_message', 'The proxy is already started');
      return;
    }
    this.#settings = settings;
    const config: Config = {
      ...resolveConfig(settings),
      ...checkKeys(secrets),
      cacheNamespaceRoot: parseCacheRoot(cacheNamespaceRoot),
    };
    this.#log.setLevel(config.logLevel);
    try {
      this.#service = await startService({
        config,
        log: this.#log,
        mainFile: this.#mainFile,
        network,
        findProxy: network.asksEditor === true ? this.#proxies.find : undefined,
        trustFingerprint,
        images,
        connectsWithoutKey: false,
        onEvent: (event) => {
          if (event.type === 'releaseRequested') void this.#finish();
          else this.#send(event);
        },
        ownership: ownershipOf(secrets),
      });
    } catch (error) {
      if (error instanceof ConfigError) throw error;
      const { exitCode, setting, sentence } = listenFailure(error, config, (name) => `sealedProxy.${name}`);
      this.#fail(exitCode === EXIT.portTaken ? 'port_taken' : 'cannot_listen', sentence, setting);
      return;
    }
    const { url, port } = this.#service;
    this.#send({ type: 'ready', url, port, version: VERSION });
  }

  #update({ settings: changed, images }: Update): void {
    const settings = { ...this.#settings, ...changed };
    const live = resolveLiveConfig(settings);
    this.#settings = settings;
    this.#service?.update(live);
    if (images !== undefined) this.#service?.updateImages(images);
  }

  #setKeys(secrets: ProxySecrets): void {
    const keys = checkKeys(secrets); // also before the start: the caller learns of bad keys at once
    this.#service?.setKeys({ ...keys, ownership: ownershipOf(secrets) });
  }

  async #finish(): Promise<void> {
    if (this.#stopping) return;
    this.#stopping = true;
    await this.#service?.stop(GRACE, () => {
      this.#send({ type: 'stopped' });
    });
    await this.#sent;
    process.exit(EXIT.ok);
  }

  #fail(code: Extract<FromProxy, { type: 'failed' }>['code'], message: string, setting: string | null = null): void {
    this.#send({ type: 'failed', code, setting, message });
  }

  #send(message: FromProxy): void {
    this.#sent = new Promise((resolve) => {
      if (process.connected)
        process.send?.(message, undefined, undefined, () => {
          resolve();
        });
      else resolve();
    });
  }
}

/** The secret as bytes; null if it does not have 32 of them. */
function ownershipOf({ ownership = '' }: ProxySecrets): Uint8Array | null {
  const bytes = fromBase64(ownership);
  return bytes?.length === 32 ? bytes : null;
}
