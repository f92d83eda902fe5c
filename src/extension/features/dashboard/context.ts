import type { UsageHistory } from '../../../usageHistory/usageHistory.ts';
import type { AssistantsContext } from '../assistants/context.ts';
import type { PromptSources } from '../promptMap/promptSources.ts';
import type { Sealing } from '../sidePrompts/sealing.ts';

/** What the dashboard shows and changes. */
export interface DashboardContext extends AssistantsContext {
  readonly promptSources: PromptSources;
  readonly sealing: Sealing;
  readonly usageHistory: Pick<UsageHistory, 'read' | 'erase'>;
}
