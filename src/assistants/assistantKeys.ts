// The access keys of assistants: one for each, which only it has.
import { isSameName, makeAccessKey } from '../keys/accessKeys.ts';
import type { AccessKey } from '../keys/accessKeys.ts';
import type { Secrets } from '../keys/secrets.ts';
import type { Assistant, Places } from './adapters/assistant.ts';

const ORIGIN = 'assistant';

interface Named {
  readonly name: string;
}

export class AssistantKeys {
  readonly #secrets: Secrets;
  /** Makes the proxy accept the stored keys, and no others. */
  readonly #publish: () => Promise<void>;

  constructor(secrets: Secrets, publish: () => Promise<void>) {
    this.#secrets = secrets;
    this.#publish = publish;
  }

  find({ name }: Named): Promise<AccessKey | undefined> {
    return this.#secrets.findAccessKey(name, ORIGIN);
  }

  /** A key that is not stored. */
  draft({ name }: Named): AccessKey {
    return makeAccessKey(name, ORIGIN, Date.now());
  }

  /**
   * The stored key, which is created if it does not exist.
   * @param draft the key to store then; a new one by default
   */
  async ensure(named: Named, draft?: AccessKey): Promise<string> {
    const known = await this.find(named);
    if (known !== undefined) return known.key;
    const { key } = await this.#secrets.accessKeyNamed(named.name, ORIGIN, draft);
    await this.#publish(); // so that the proxy accepts the key before anyone uses it
    return key;
  }

  /**
   * Makes those keys this computer's that a computer with the same folder has made, and that are in a configuration on
   * this computer: in a home folder that two computers share, an assistant's file has one key for both.
   */
  async claim(assistants: readonly Assistant[], places: Places): Promise<void> {
    for (const { id, key, name } of await this.#secrets.claimableKeys()) {
      const assistant = assistants.find((each) => isSameName(each.name, name));
      const state = await assistant?.inspect({ ...places, baseUrl: undefined, key });
      if (state?.kind === 'current') await this.#secrets.claimAccessKey(id);
    }
  }

  async revoke(named: Named): Promise<void> {
    const key = await this.find(named);
    if (key !== undefined) await this.#secrets.revokeAccessKey(key.id);
  }
}
