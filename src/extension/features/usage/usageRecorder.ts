import type { Secrets } from '../../../keys/secrets.ts';
import type { Settings } from '../../../settings/editorSettings.ts';
import type { SupervisorHost } from '../../../supervisor/supervisorHost.ts';
import { UsageHistory } from '../../../usageHistory/usageHistory.ts';
import type { ChannelLog } from '../../core/log.ts';

/** Records what the proxy of this window reports, with the names of the clients, unless the user has turned it off. */
export class UsageRecorder {
  readonly history: UsageHistory;
  readonly record: SupervisorHost['onUsage'];

  /**
   * @param storage the folder of the extension's data
   * @param onChange is called after each change of what is recorded
   */
  constructor(
    storage: string,
    secrets: Pick<Secrets, 'accessKeys'>,
    settings: () => Pick<Settings, 'usageHistory'>,
    { channel }: Pick<ChannelLog, 'channel'>,
    onChange: () => void,
  ) {
    const namesOfClients = async () => new Map((await secrets.accessKeys()).map(({ id, name }) => [id, name]));
    const logFailure = (error: unknown) => {
      channel.error(`The usage cannot be recorded: ${String(error)}`);
    };
    const onDamage = (message: string) => {
      channel.warn(message);
    };
    this.history = new UsageHistory(storage, onDamage, Date.now, onChange);
    this.record = (usage) => {
      if (settings().usageHistory) this.history.add(usage, namesOfClients()).catch(logFailure);
    };
    this.history.prune().catch(logFailure);
  }
}
