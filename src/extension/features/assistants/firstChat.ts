// A step of the walkthrough: it is done when an assistant or the editor's chat has received a response.
import type { AssistantService } from '../../../assistants/assistantService.ts';
import { OWN_KEY_NAME } from '../../../keys/accessKeys.ts';
import type { Secrets } from '../../../keys/secrets.ts';
import { setContextKey } from '../../core/contextKeys.ts';

export class FirstChat {
  readonly #assistants: AssistantService;
  readonly #secrets: Secrets;
  #done = false;

  constructor(assistants: AssistantService, secrets: Secrets) {
    this.#assistants = assistants;
    this.#secrets = secrets;
  }

  /** A chat that used the access key with this id got a response. Checks do not count. */
  async answered(keyId: string): Promise<void> {
    if (this.#assistants.checks.consumeCheckResponse(keyId) || this.#done) return;
    const own = await this.#secrets.findAccessKey(OWN_KEY_NAME, 'own');
    if (own?.id !== keyId) await this.complete();
  }

  /** The editor's chat has received a response. */
  async complete(): Promise<void> {
    this.#done = true;
    await setContextKey('asked', true);
  }
}
