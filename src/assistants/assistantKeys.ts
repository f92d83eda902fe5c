// The access keys of assistants: one for each, which only it has.
import { makeAccessKey } from '../keys/accessKeys.ts';
import type { AccessKey } from '../keys/accessKeys.ts';
import type { StoredKey } from '../keys/keyRing.ts';
import type { Secrets } from '../keys/secrets.ts';

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

  find({ name }: Named): Promise<StoredKey | undefined> {
    return this.#secrets.findAccessKey(name, ORIGIN);
  }

  /** A key that is not stored. */
  draft({ name }: Named): AccessKey & { readonly key: string } {
    return makeAccessKey(name, ORIGIN, Date.now());
  }

  /** The stored key, which is created if it does not exist. */
  async ensure(named: Named): Promise<string> {
    const known = await this.find(named);
    if (known !== undefined) return known.key;
    const { key } = await this.#secrets.accessKeyNamed(named.name, ORIGIN);
    await this.#publish(); // so that the proxy accepts the key before anyone uses it
    return key;
  }

  async revoke(named: Named): Promise<void> {
    const key = await this.find(named);
    if (key !== undefined) await this.#secrets.revokeAccessKey(key.id);
  }
}
