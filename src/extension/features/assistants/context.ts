import type { ModelChoice } from '../../../assistants/adapters/assistant.ts';
import type { AssistantService } from '../../../assistants/assistantService.ts';
import type { Core } from '../../core/core.ts';
import type { ChangeReviews } from './changeReviews.ts';

/** What the commands for assistants work with. */
export interface AssistantsContext {
  readonly core: Core;
  readonly assistants: AssistantService;
  readonly reviews: ChangeReviews;
  /** The chat models that the backend offers; empty while it cannot be asked. */
  readonly models: () => readonly ModelChoice[];
  /** The backend's list of models, from which the editor's chat is offered some; it stays through pauses. */
  readonly catalogue: () => unknown;
  /** Starts the proxy if it is not running. */
  readonly getBaseUrl: () => Promise<string>;
}
