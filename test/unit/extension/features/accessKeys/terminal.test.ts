import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EnvironmentVariableCollection } from 'vscode';
import { TerminalEnvironment } from '../../../../../src/extension/features/accessKeys/terminal.ts';
import { TERMINAL_NAME } from '../../../../../src/keys/accessKeys.ts';
import type { AccessKey } from '../../../../../src/keys/accessKeys.ts';
import { MachineStore } from '../../../../../src/keys/machineStore.ts';
import { Secrets } from '../../../../../src/keys/secrets.ts';
import type { ProxyStatus } from '../../../../../src/shared/status.ts';
import { EventQueue } from '../../../../support/e2e/eventQueue.ts';

/** The parts of the editor's collection that the class uses. */
class Variables {
  persistent = true;
  description: string | undefined;
  readonly #values = new Map<string, string>();

  replace(name: string, value: string): void {
    this.#values.set(name, value);
  }

  clear(): void {
    this.#values.clear();
    this.description = undefined;
  }

  get values(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#values);
  }
}

/** The secret storage of one window. A test can delay its responses. */
class Storage {
  readonly #values = new Map<string, string>();
  readonly #held = new EventQueue<() => void>();
  holds = false;
  #onChange: (event: { readonly key: string }) => void = () => undefined;

  readonly onDidChange = (listener: (event: { readonly key: string }) => void) => {
    this.#onChange = listener;
    return { dispose: () => undefined };
  };

  /** Something has changed, so the names are read again, and the response is delayed. */
  hold(): void {
    this.holds = true;
    this.#onChange({ key: 'other' });
  }

  async keys(): Promise<string[]> {
    const names = [...this.#values.keys()];
    if (this.holds) {
      await new Promise<void>((resolve) => {
        this.#held.add(resolve);
      });
    }
    return names;
  }

  get(name: string): Promise<string | undefined> {
    return Promise.resolve(this.#values.get(name));
  }

  store(name: string, value: string): Promise<void> {
    this.#values.set(name, value);
    return Promise.resolve();
  }

  delete(name: string): Promise<void> {
    this.#values.delete(name);
    return Promise.resolve();
  }

  /** Resolves when the delayed call number `number` for the names waits, with a function that lets it continue. */
  held(number: number): Promise<() => void> {
    return this.#held.find(`delayed call ${number}`, () => true, number - 1);
  }
}

const running = (port: number): ProxyStatus => ({
  kind: 'running',
  url: `http://127.0.0.1:${port}`,
  port,
  version: '1.0.0',
  shared: false,
  backendUrl: 'https://enclave.example',
  verified: null,
  establishedAt: null,
  health: { kind: 'checking' },
});
const RUNNING = running(14_114);
const NOT_RUNNING: readonly ProxyStatus[] = [
  { kind: 'off' },
  { kind: 'starting' },
  { kind: 'portTaken', port: 14_114, by: 'program' },
  { kind: 'otherVersion', port: 14_114, version: '0.1.0', isNewer: false },
  { kind: 'otherSettings', port: 14_114, backendUrl: 'https://other.example' },
  { kind: 'restarting', at: 1 },
  { kind: 'failed', reason: 'crashes', message: 'It crashed' },
];

describe('TerminalEnvironment', () => {
  let folder: string;
  let variables: Variables;
  let storage: Storage;
  let secrets: Secrets;
  let terminal: TerminalEnvironment;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sealed-proxy-terminal-'));
    variables = new Variables();
    storage = new Storage();
    secrets = new Secrets(storage, new MachineStore(folder));
    terminal = new TerminalEnvironment(variables as unknown as EnvironmentVariableCollection, secrets);
  });

  afterEach(() => {
    secrets.dispose();
    rmSync(folder, { recursive: true });
  });

  const given = ({ key }: AccessKey, port = 14_114) => ({
    OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
    OPENAI_API_BASE: `http://127.0.0.1:${port}/v1`,
    OPENAI_API_KEY: key,
  });
  const makeKey = () => secrets.accessKeyNamed(TERMINAL_NAME, 'terminal');
  const keys = () => secrets.accessKeys();

  /** The only key in the storage. */
  const onlyKey = async (): Promise<AccessKey> => {
    const [key, ...others] = await keys();
    assert.ok(key !== undefined && others.length === 0);
    return key;
  };

  it('is not persistent, and empty at first', () => {
    assert.equal(variables.persistent, false);
    assert.deepEqual(variables.values, {});
  });

  it('sets both variables for the base URL, an access key for terminals, and a description', async () => {
    await terminal.update(true, RUNNING);
    const key = await onlyKey();
    assert.deepEqual([key.name, key.origin], [TERMINAL_NAME, 'terminal']);
    assert.deepEqual(variables.values, given(key));
    assert.match(variables.description ?? '', /Sealed Proxy/);
  });

  it('keeps the key, and changes the base URL with the port', async () => {
    const key = await makeKey();
    for (const port of [14_114, 8080, 14_114]) {
      await terminal.update(true, running(port));
      assert.deepEqual(variables.values, given(key, port));
    }
    assert.deepEqual(await onlyKey(), key);
  });

  it('sets nothing and creates no key while it is switched off', async () => {
    for (const status of [RUNNING, ...NOT_RUNNING]) await terminal.update(false, status);
    assert.deepEqual([variables.values, await keys()], [{}, []]);
  });

  for (const status of NOT_RUNNING) {
    it(`sets nothing while the proxy is not running: ${status.kind}`, async () => {
      await terminal.update(true, status);
      assert.deepEqual([variables.values, await keys()], [{}, []]);
      await terminal.update(true, RUNNING);
      const key = await onlyKey();
      await terminal.update(true, status);
      assert.deepEqual(variables.values, {});
      await terminal.update(true, RUNNING);
      assert.deepEqual(variables.values, given(key));
    });
  }

  it('clears the variables when it is switched off, and sets the same key when it is switched on again', async () => {
    await terminal.update(true, RUNNING);
    const key = await onlyKey();
    await terminal.update(false, RUNNING);
    assert.deepEqual(variables.values, {});
    await terminal.update(true, RUNNING);
    assert.deepEqual(variables.values, given(key));
    assert.deepEqual(await onlyKey(), key);
  });

  for (const [what, enabled, status] of [
    ['is switched off', false, RUNNING],
    ['has lost the port', true, { kind: 'portTaken', port: 14_114, by: 'program' }],
    ['has stopped', true, { kind: 'off' }],
  ] as const) {
    it(`sets nothing if the key arrives after it ${what}`, async () => {
      await makeKey();
      storage.hold();
      const late = terminal.update(true, RUNNING);
      const answer = await storage.held(1);
      await terminal.update(enabled, status);
      answer();
      await late;
      assert.deepEqual([variables.values, variables.description], [{}, undefined]);
    });
  }

  it('keeps the latest update if earlier ones finish later', async () => {
    const key = await makeKey();
    storage.hold();
    const first = terminal.update(true, running(1));
    const answerFirst = await storage.held(1);
    storage.hold();
    const second = terminal.update(true, running(2));
    const answerSecond = await storage.held(2);
    answerSecond();
    await second;
    assert.deepEqual(variables.values, given(key, 2));
    answerFirst();
    await first;
    assert.deepEqual(variables.values, given(key, 2));
  });

  it('sets nothing after the key was revoked, and creates a new one only when it is switched off and on', async () => {
    await terminal.update(true, RUNNING);
    const { id } = await onlyKey();
    await secrets.revokeAccessKey(id);
    const statuses = [RUNNING, { kind: 'off' }, RUNNING, running(8080)] as const;
    for (const status of statuses) {
      await terminal.update(true, status);
      assert.deepEqual([variables.values, await keys()], [{}, []]);
    }
    await terminal.update(false, RUNNING);
    assert.deepEqual([variables.values, await keys()], [{}, []]);
    await terminal.update(true, RUNNING);
    const fresh = await onlyKey();
    assert.notEqual(fresh.id, id);
    assert.deepEqual(variables.values, given(fresh));
  });

  it('does not replace a revoked key that existed before it was switched on', async () => {
    const { id } = await makeKey();
    await terminal.update(true, RUNNING);
    await secrets.revokeAccessKey(id);
    await terminal.update(true, RUNNING);
    assert.deepEqual([variables.values, await keys()], [{}, []]);
  });

  it('does not use a key of another origin with the same name', async () => {
    const other = await secrets.accessKeyNamed(TERMINAL_NAME, 'user');
    await terminal.update(true, RUNNING);
    const key = (await keys()).find(({ id }) => id !== other.id);
    assert.ok(key?.origin === 'terminal');
    assert.deepEqual(variables.values, given(key));
  });

  it('creates one key for two updates at once', async () => {
    await Promise.all([terminal.update(true, RUNNING), terminal.update(true, RUNNING)]);
    assert.deepEqual(variables.values, given(await onlyKey()));
  });

  it('sets a key as soon as one can be stored', async () => {
    const store = storage.store.bind(storage);
    storage.store = () => Promise.reject(new Error('locked'));
    await assert.rejects(terminal.update(true, RUNNING), /^Error: locked$/);
    storage.store = store;
    await terminal.update(true, RUNNING);
    assert.deepEqual(variables.values, given(await onlyKey()));
  });

  it('creates no key after it is switched off, even if the storage responds late', async () => {
    storage.hold();
    const late = terminal.update(true, RUNNING);
    const answer = await storage.held(1);
    await terminal.update(false, RUNNING);
    storage.holds = false;
    answer();
    await late;
    assert.deepEqual([variables.values, await keys()], [{}, []]);
  });
});
