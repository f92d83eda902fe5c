// A window of the editor without the editor: a supervisor with settings and secrets, and a record of what it reports.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiHandler } from '../../src/devEnclave/model/apiHandler.ts';
import { createModel } from '../../src/devEnclave/model/model.ts';
import type { RunningEnclave } from '../../src/devEnclave/server.ts';
import type { Settings } from '../../src/settings/editorSettings.ts';
import { EXTENSION_DEFAULTS } from '../../src/settings/schema.ts';
import type { CompleteProxySettings } from '../../src/settings/schema.ts';
import { validateSettings } from '../../src/settings/validateSettings.ts';
import type { NetworkSettings } from '../../src/shared/messages.ts';
import type { ProxyRoute } from '../../src/shared/network.ts';
import type { Health, ProxyStatus } from '../../src/shared/status.ts';
import { VERSION } from '../../src/shared/version.ts';
import { freePort } from '../../src/supervisor/freePort.ts';
import { Supervisor } from '../../src/supervisor/supervisor.ts';
import type { SupervisorHost, SupervisorSecrets } from '../../src/supervisor/supervisorHost.ts';
import { EventQueue } from './e2e/eventQueue.ts';
import { PROXY } from './e2e/process.ts';
import { ACCESS_KEY, API_KEY, perTest } from './e2e/scope.ts';
import type { Scope } from './e2e/scope.ts';
import { SETTINGS } from './supervisors.ts';
import { eventually } from './withTimeout.ts';

export type Running = Extract<ProxyStatus, { kind: 'running' }>;
type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** The secrets that all windows share. */
export type Vault = Mutable<SupervisorSecrets>;

export function makeVault(): Vault {
  const ownKey = `sealed-${randomBytes(32).toString('base64url')}`;
  return {
    apiKey: API_KEY,
    accessKeys: [ownKey, ACCESS_KEY],
    ownKey,
    ownership: randomBytes(32).toString('base64'),
    cacheNamespaceRoot: randomBytes(32).toString('base64'),
  };
}

interface WindowOptions {
  readonly vault?: Vault;
  /** Of the extension in this window, and of its proxy. */
  readonly version?: string;
  /** Is run instead of `dist/proxy.js`. */
  readonly source?: string;
}

/** Runs `dist/proxy.js`, as it will be in the release with this version. */
function proxyOf(version: string): string {
  if (version === VERSION) return `require(${JSON.stringify(PROXY)});`;
  const bundle = readFileSync(PROXY, 'utf8').replace(/^#!.*/, '');
  assert.ok(bundle.includes(`"${VERSION}"`));
  return bundle.replaceAll(`"${VERSION}"`, JSON.stringify(version));
}

export class EditorWindow {
  readonly supervisor: Supervisor;
  readonly statuses = new EventQueue<ProxyStatus>();
  readonly log = new EventQueue<string>();
  readonly refused = new EventQueue<string | null>();
  readonly used = new EventQueue<string>();
  readonly answered = new EventQueue<string>();
  readonly usage = new EventQueue<Parameters<SupervisorHost['onUsage']>[0]>();
  vault: Vault;
  readonly #folder: string;
  settings: CompleteProxySettings;
  network: NetworkSettings = {};
  /** How the editor answers the question for a proxy. */
  findProxy: (url: string) => Promise<ProxyRoute> = () => Promise.reject(new Error('not asked'));
  checkInterval = 0;

  /** A window that is closed with the scope. */
  static open(
    scope: Scope,
    settings: Partial<CompleteProxySettings> & { readonly backendUrl: string; readonly port: number },
    { vault = makeVault(), version = VERSION, source = proxyOf(version) }: WindowOptions = {},
  ): EditorWindow {
    const opened = new EditorWindow(settings, vault, source, version);
    scope.onClose(async () => {
      await opened.supervisor.end();
      rmSync(opened.#folder, { recursive: true });
    });
    return opened;
  }

  private constructor(settings: Partial<CompleteProxySettings>, vault: Vault, source: string, version: string) {
    this.vault = vault;
    this.settings = { ...SETTINGS, port: 0, backendUrl: '', ...settings };
    this.#folder = mkdtempSync(join(tmpdir(), 'sealed-proxy-window-'));
    const wrapper = join(this.#folder, 'noted.cjs');
    const note = `require('node:fs').appendFileSync('pids', process.pid + '\\n');`;
    writeFileSync(wrapper, `${note}\n${source}\n`);
    this.supervisor = new Supervisor({
      module: wrapper,
      cwd: this.#folder,
      settings: () => this.settings,
      network: () => this.network,
      findProxy: (url) => this.findProxy(url),
      checkInterval: () => this.checkInterval,
      secrets: () => Promise.resolve({ ...this.vault }),
      onStatus: (status) => {
        this.statuses.add(status);
      },
      version,
      onLog: (line) => {
        this.log.add(line);
      },
      onKeyUsed: (id) => {
        this.used.add(id);
      },
      onChatAnswered: (id) => {
        this.answered.add(id);
      },
      onUsage: (usage) => {
        this.usage.add(usage);
      },
      onRefused: (problems) => {
        for (const { setting } of problems) this.refused.add(setting);
      },
    });
  }

  /** The ids of all processes that were started, the latest last. */
  get pids(): readonly number[] {
    const file = join(this.#folder, 'pids');
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : [];
  }

  /** The id of the latest process, or 0. */
  get pid(): number {
    return this.pids.at(-1) ?? 0;
  }

  /** Changes settings as a user does in the editor. False if they were refused: the previous ones stay. */
  async change(settings: Partial<CompleteProxySettings> | Readonly<Record<string, unknown>>): Promise<boolean> {
    const [next, previous] = [{ ...this.settings, ...settings }, this.settings].map((proxy): Settings => ({
      ...EXTENSION_DEFAULTS,
      proxy,
      network: this.network,
    })) as [Settings, Settings];
    const validated = validateSettings(next, previous);
    this.settings = validated.settings.proxy;
    for (const { setting } of validated.problems) this.refused.add(setting);
    await this.supervisor.settingsChanged();
    return validated.problems.length === 0;
  }

  /** The current status if it has this kind, otherwise the next one. Searches from status number `start` on. */
  async status<Kind extends ProxyStatus['kind']>(
    kind: Kind,
    start = this.statuses.items.length - 1,
  ): Promise<Extract<ProxyStatus, { kind: Kind }>> {
    const found = await this.statuses.find(`the status ${kind}`, (one) => one.kind === kind, Math.max(0, start));
    return found as Extract<ProxyStatus, { kind: Kind }>;
  }

  /** Starts the supervisor, and waits for the connection to the backend. */
  async start(): Promise<Running> {
    await this.supervisor.start();
    return this.health('connected');
  }

  /** The same for the health of a running proxy. */
  async health(kind: Health['kind'], start = this.statuses.items.length - 1): Promise<Running> {
    const accepts = (one: ProxyStatus) => one.kind === 'running' && one.health.kind === kind;
    return (await this.statuses.find(`the health ${kind}`, accepts, Math.max(0, start))) as Running;
  }
}

/** A development enclave for each test, and a window in front of it that has not started. */
export function perTestWindow(makeHandler: () => ApiHandler = () => createModel({ paceMs: 20 })) {
  const scope = perTest();
  let enclave: RunningEnclave;
  let editor: EditorWindow;
  beforeEach(async () => {
    enclave = await scope.enclave({ handler: makeHandler() });
    editor = EditorWindow.open(scope, { backendUrl: enclave.url, port: await freePort() });
  });
  return { scope, enclave: () => enclave, editor: () => editor };
}

/** True while the process exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Waits for the end of a process that is not our child, for which there is no event. */
export async function gone(pid: number): Promise<void> {
  await eventually(`the end of process ${pid}`, () => !isAlive(pid));
}
