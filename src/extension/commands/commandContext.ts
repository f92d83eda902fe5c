import type { AssistantService } from '../../assistants/assistantService.ts';
import type { ChatSettings } from '../../assistants/chatSettings.ts';
import type { ModelChoice } from '../../assistants/types.ts';
import type { Section } from '../../dashboard/model.ts';
import type { Secrets } from '../../keys/secrets.ts';
import type { CommandName } from '../../presentation/commands.ts';
import type { Settings } from '../../settings/editorSettings.ts';
import type { SharedStop } from '../../supervisor/sharedStop.ts';
import type { Supervisor } from '../../supervisor/supervisor.ts';
import type { UsageHistory } from '../../usageHistory/usageHistory.ts';
import type { PublicApi } from '../api/api.ts';
import type { SidePrompts } from '../languageModel/sidePrompts.ts';
import type { ChannelLog } from '../log.ts';
import type { RemovalStep } from '../removal.ts';
import type { UninstallRecordFile } from '../uninstallRecordFile.ts';
import type { Documents } from '../views/documents.ts';

/** What the commands work with. */
export interface CommandContext {
  readonly supervisor: Supervisor;
  readonly sharedStop: SharedStop;
  readonly secrets: Secrets;
  readonly log: ChannelLog;
  readonly api: PublicApi;
  readonly documents: Pick<Documents, 'show' | 'compare'>;
  /** Opens the dashboard, or shows it; at this section, or where the user left it. */
  readonly showDashboard: (section?: Section) => void;
  readonly assistants: AssistantService;
  readonly usageHistory: Pick<UsageHistory, 'read' | 'erase'>;
  readonly sidePrompts: SidePrompts;
  readonly chatSettings: ChatSettings;
  readonly settings: () => Settings;
  /** The chat models that the backend offers; empty while it cannot be asked. */
  readonly models: () => readonly ModelChoice[];
  /** The backend's list of models, from which the editor's chat is offered some; it stays through pauses. */
  readonly catalogue: () => unknown;
  readonly uninstallRecord: UninstallRecordFile;
  /** What "Disconnect and Remove Everything" does. */
  readonly removal: readonly RemovalStep[];
}

/** The commands of one file, by name. */
export type CommandGroup = Partial<Record<CommandName, (context: CommandContext, argument: unknown) => unknown>>;
