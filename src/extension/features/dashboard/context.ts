import type { UsageHistory } from '../../../usageHistory/usageHistory.ts';
import type { AssistantsContext } from '../assistants/context.ts';
import type { PromptSources } from '../promptMap/promptSources.ts';

/** What the dashboard shows and changes. */
export interface DashboardContext extends AssistantsContext {
  readonly promptSources: PromptSources;
  readonly usageHistory: Pick<UsageHistory, 'read' | 'erase'>;
}
