import assert from 'node:assert/strict';
import { opencode } from '../../../src/assistants/adapters/opencode.ts';
import { qwenCode } from '../../../src/assistants/adapters/qwenCode.ts';
import { claimStored } from '../../../src/assistants/claims.ts';
import { UndoStore } from '../../../src/assistants/undoStore.ts';
import { makeAccessKey } from '../../../src/keys/accessKeys.ts';
import { MachineStore } from '../../../src/keys/machineStore.ts';
import { Secrets } from '../../../src/keys/secrets.ts';
import { AssistantHome, perTestHome } from '../../support/assistantHome.ts';
import { Vault } from '../../support/secretVault.ts';

const FILE = '.config/opencode/opencode.jsonc';

/** A home folder on a computer of its own, and a window there. */
interface Computer {
  readonly home: AssistantHome;
  readonly secrets: Secrets;
  readonly undo: UndoStore;
  readonly claim: () => Promise<void>;
}

describe('claimStored()', () => {
  const firstHome = perTestHome();
  const otherHome = perTestHome();
  let vault: Vault;
  let computers: readonly [Computer, Computer];

  beforeEach(() => {
    vault = new Vault();
    const open = (home: AssistantHome): Computer => {
      const secrets = new Secrets(vault.storage(), new MachineStore(home.pathOf('data')));
      const undo = new UndoStore(secrets);
      return {
        home,
        secrets,
        undo,
        claim: () => claimStored([opencode, qwenCode], secrets, undo, { home: home.path }),
      };
    };
    computers = [open(firstHome()), open(otherHome())];
  });

  afterEach(() => {
    for (const { secrets } of computers) secrets.dispose();
  });

  /** Connects as version 0.4 did, which stored everything without the computer. */
  const connectOld = async ({ home }: Computer) => {
    const key = makeAccessKey('opencode', 'assistant', 1000);
    vault.set(`accessKey.${key.id}`, JSON.stringify(key));
    const applied = await home.connect(opencode, { ...home.endpoint, key: key.key });
    const { path, before, after, madeFolder } = applied;
    vault.set('undo.opencode', JSON.stringify({ version: 1, path, before, after, madeFolder }));
    return { key: key.key, applied };
  };
  const keyOf = async ({ secrets }: Computer) => await secrets.findAccessKey('opencode', 'assistant');

  it('leaves the key and the undo data to the computer with the file, whichever starts first', async () => {
    const [here, there] = computers;
    const { key, applied } = await connectOld(here);
    await there.claim();
    await here.claim();
    await there.claim();
    assert.deepEqual([(await keyOf(here))?.key, await keyOf(there)], [key, undefined]);
    assert.deepEqual(await here.undo.get('opencode'), { ...applied, mixed: false });
    assert.equal(await there.undo.get('opencode'), undefined);
    assert.equal((await opencode.inspect({ home: here.home.path, baseUrl: undefined, key })).kind, 'current');
  });

  it('lets both computers keep a key that both have in their files', async () => {
    const [here, there] = computers;
    const { key } = await connectOld(here);
    await there.home.connect(opencode, { ...there.home.endpoint, key });
    await here.claim();
    await there.claim();
    for (const computer of computers) {
      assert.equal((await keyOf(computer))?.key, key);
      assert.equal((await keyOf(computer))?.isShared, true);
    }
  });

  it('does not replace undo data of this computer, and ignores a file that has another key', async () => {
    const [here, there] = computers;
    const own = await there.home.connect(opencode);
    await there.undo.set(opencode, own);
    await connectOld(here);
    await there.claim();
    assert.equal(await keyOf(there), undefined);
    assert.deepEqual(await there.undo.get('opencode'), { ...own, mixed: false });
    assert.equal(there.home.read(FILE), own.after);
  });
});
