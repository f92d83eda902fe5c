// A step of the walkthrough: it is done when an assistant or the editor's chat has received a response.
import { OWN_KEY_NAME } from '../../../keys/accessKeys.ts';
import type { Secrets } from '../../../keys/secrets.ts';
import { setContextKey } from '../../core/contextKeys.ts';

export class FirstChat {
  readonly #secrets: Secrets;
  #done = false;

  constructor(secrets: Secrets) {
    this.#secrets = secrets;
  }

  /** A chat that used the access key with this id got a response. The proxy does not report checks. */
  async answered(keyId: string): Promise<void> {
    if (this.#done) return;
    const own = await this.#secrets.findAccessKey(OWN_KEY_NAME, 'own');
    if (own?.id !== keyId) await this.complete();
  }

  /** The editor's chat has received a response. */
  async complete(): Promise<void> {
    this.#done = true;
    await setContextKey('asked', true);
  }
}
