import assert from 'node:assert/strict';
import { join } from 'node:path';
import { opencode } from '../../../src/assistants/adapters/opencode.ts';
import { qwenCode } from '../../../src/assistants/adapters/qwenCode.ts';
import { AssistantKeys } from '../../../src/assistants/assistantKeys.ts';
import { MachineStore } from '../../../src/keys/machineStore.ts';
import { Secrets } from '../../../src/keys/secrets.ts';
import { perTestHome } from '../../support/assistantHome.ts';
import { Vault } from '../../support/secretVault.ts';

describe('AssistantKeys.claim(), on two computers that share a home folder', () => {
  const home = perTestHome();
  let opened: Secrets[];
  let vault: Vault;

  beforeEach(() => {
    opened = [];
    vault = new Vault();
  });

  afterEach(() => {
    for (const secrets of opened) secrets.dispose();
  });

  const open = (hardware: string) => {
    const machine = new MachineStore(join(home().path, 'data'), () => Promise.resolve(hardware));
    const secrets = new Secrets(vault.storage(), machine);
    opened.push(secrets);
    const keys = new AssistantKeys(secrets, () => Promise.resolve());
    return { keys, claim: () => keys.claim([opencode, qwenCode], { home: home().path }) };
  };

  it('lets both use the key that is in the file', async () => {
    const [one, other] = [open('a'), open('b')];
    const key = await one.keys.ensure(opencode);
    await home().connect(opencode, { ...home().endpoint, key });
    assert.equal(await other.keys.find(opencode), undefined);
    await other.claim();
    for (const { keys } of [one, other]) assert.equal((await keys.find(opencode))?.key, key);
  });

  it('leaves a key alone that is not in the file', async () => {
    const [one, other] = [open('a'), open('b')];
    await one.keys.ensure(opencode);
    await home().connect(opencode);
    await other.claim();
    assert.equal(await other.keys.find(opencode), undefined);
  });
});
