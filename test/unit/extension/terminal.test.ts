import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EnvironmentVariableCollection } from 'vscode';
import { TERMINAL_NAME } from '../../../src/keys/accessKeys.ts';
import type { AccessKey } from '../../../src/keys/accessKeys.ts';
import { HostFolder } from '../../../src/keys/hostFolder.ts';
import { Secrets } from '../../../src/extension/keys/secrets.ts';
import { TerminalEnvironment } from '../../../src/extension/terminal.ts';
import type { ProxyStatus } from '../../../src/shared/status.ts';
import { EventQueue } from '../../support/e2e/eventQueue.ts';

/** The part of the editor's collection that is used, and nothing else. */
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

/** The storage of one window, which answers late where a test holds it. */
class Storage {
  readonly #values = new Map<string, string>();
  readonly #held = new EventQueue<() => void>();
  holds = false;

  readonly onDidChange = () => ({ dispose: () => undefined });

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

  /** Resolves when question number `number` for the names waits; the result lets it go. */
  held(number: number): Promise<() => void> {
    return this.#held.find(`question ${number}`, () => true, number - 1);
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
const ELSEWHERE: readonly ProxyStatus[] = [
  { kind: 'off' },
  { kind: 'starting' },
  { kind: 'portTaken', port: 14_114, unresponsive: false },
  { kind: 'otherVersion', port: 14_114, version: '0.1.0' },
  { kind: 'otherSettings', port: 14_114, backendUrl: 'https://other.example' },
  { kind: 'restarting', at: 1 },
  { kind: 'failed', reason: 'crashes', message: 'It crashed' },
];

describe('The environment of new terminals', () => {
  let folder: string;
  let variables: Variables;
  let storage: Storage;
  let secrets: Secrets;
  let terminal: TerminalEnvironment;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sealed-proxy-terminal-'));
    variables = new Variables();
    storage = new Storage();
    secrets = new Secrets(storage, new HostFolder(folder));
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

  /** The one key that there is. */
  const onlyKey = async (): Promise<AccessKey> => {
    const [key, ...others] = await keys();
    assert.ok(key !== undefined && others.length === 0);
    return key;
  };

  it('has nothing that outlives the window, and nothing before it is asked for', () => {
    assert.equal(variables.persistent, false);
    assert.deepEqual(variables.values, {});
  });

  it('has the base URL under both of its names, a key for terminals, and a sentence that says so', async () => {
    await terminal.update(true, RUNNING);
    const key = await onlyKey();
    assert.deepEqual([key.name, key.origin], [TERMINAL_NAME, 'terminal']);
    assert.deepEqual(variables.values, given(key));
    assert.match(variables.description ?? '', /Sealed Proxy/);
  });

  it('has the same key each time, and another base URL when the port is another one', async () => {
    const key = await makeKey();
    for (const port of [14_114, 8080, 14_114]) {
      await terminal.update(true, running(port));
      assert.deepEqual(variables.values, given(key, port));
    }
    assert.deepEqual(await onlyKey(), key);
  });

  it('has nothing and makes no key where it is not asked for', async () => {
    for (const status of [RUNNING, ...ELSEWHERE]) await terminal.update(false, status);
    assert.deepEqual([variables.values, await keys()], [{}, []]);
  });

  for (const status of ELSEWHERE) {
    it(`has nothing while the proxy is not there: ${status.kind}`, async () => {
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

  it('has nothing any more when it is switched off, and the same key when it is switched on again', async () => {
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
    ['has lost the port', true, { kind: 'portTaken', port: 14_114, unresponsive: false }],
    ['has stopped', true, { kind: 'off' }],
  ] as const) {
    it(`has nothing where the key is known only after it ${what}`, async () => {
      await makeKey();
      storage.holds = true;
      const late = terminal.update(true, RUNNING);
      const answer = await storage.held(1);
      await terminal.update(enabled, status);
      answer();
      await late;
      assert.deepEqual([variables.values, variables.description], [{}, undefined]);
    });
  }

  it('has what was said last where the answers come in another order', async () => {
    const key = await makeKey();
    storage.holds = true;
    const first = terminal.update(true, running(1));
    const answerFirst = await storage.held(1);
    const second = terminal.update(true, running(2));
    const answerSecond = await storage.held(2);
    answerSecond();
    await second;
    assert.deepEqual(variables.values, given(key, 2));
    answerFirst();
    await first;
    assert.deepEqual(variables.values, given(key, 2));
  });

  it('has nothing where the key was revoked, and no other in its place until it is switched off and on', async () => {
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

  it('has no other key either in place of one that was there before it was switched on', async () => {
    const { id } = await makeKey();
    await terminal.update(true, RUNNING);
    await secrets.revokeAccessKey(id);
    await terminal.update(true, RUNNING);
    assert.deepEqual([variables.values, await keys()], [{}, []]);
  });

  it('has no key that was made for somebody else, whatever its name', async () => {
    const other = await secrets.accessKeyNamed(TERMINAL_NAME, 'person');
    await terminal.update(true, RUNNING);
    const key = (await keys()).find(({ id }) => id !== other.id);
    assert.ok(key?.origin === 'terminal');
    assert.deepEqual(variables.values, given(key));
  });

  it('has the key where it is told twice before the first key is made', async () => {
    await Promise.all([terminal.update(true, RUNNING), terminal.update(true, RUNNING)]);
    assert.deepEqual(variables.values, given(await onlyKey()));
  });

  it('has a key once it can be made, where it could not be made at first', async () => {
    const store = storage.store.bind(storage);
    storage.store = () => Promise.reject(new Error('locked'));
    await assert.rejects(terminal.update(true, RUNNING), /^Error: locked$/);
    storage.store = store;
    await terminal.update(true, RUNNING);
    assert.deepEqual(variables.values, given(await onlyKey()));
  });

  it('makes no key after it is switched off, however late it is known that there is none', async () => {
    storage.holds = true;
    const late = terminal.update(true, RUNNING);
    const answer = await storage.held(1);
    await terminal.update(false, RUNNING);
    storage.holds = false;
    answer();
    await late;
    assert.deepEqual([variables.values, await keys()], [{}, []]);
  });
});
