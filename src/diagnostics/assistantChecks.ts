// Checks the configuration of connected assistants.
import { describeOutdated } from '../assistants/configState.ts';
import type { ConfigState } from '../assistants/types.ts';
import { failed, passed, runCheck, skipped } from './check.ts';
import type { CheckResult, DiagnosticsContext, NamedResult } from './check.ts';

const NAME = 'Assistants';
const COMMAND = '"Sealed Proxy: Connect an Assistant…"';

/** A result for each assistant that is connected or cannot be read, or one result if there is no such assistant. */
export async function checkAssistants({ assistants, limit }: DiagnosticsContext): Promise<readonly NamedResult[]> {
  const connected: NamedResult[] = [];
  const reading = await runCheck(async () => {
    for (const { name, configState } of await assistants()) {
      const result = resultOf(configState);
      if (result !== undefined) connected.push({ name: `Assistant: ${name}`, ...result });
    }
    return skipped('None connected');
  }, limit);
  if (reading.outcome === 'failed') {
    // Without the message of the error, which may contain the path of a folder of the user.
    const remedy = 'Run the diagnostics again. "Sealed Proxy: Show Log" may show the reason.';
    return [{ name: NAME, ...failed('The configuration of assistants could not be read', remedy) }];
  }
  return connected.length > 0 ? connected : [{ name: NAME, ...reading }];
}

/** Undefined for an assistant that is not connected. */
function resultOf(configState: ConfigState): CheckResult | undefined {
  switch (configState.kind) {
    case 'current':
      if (configState.uncompared === true) {
        return skipped('Connected; its address can only be checked while the proxy is running');
      }
      if (configState.elsewhere !== undefined) {
        return passed('Connected, but another model or provider is selected in the assistant');
      }
      return passed(`Connected${configState.model === undefined ? '' : `, model ${configState.model}`}`);
    case 'outdated':
      return failed(`Uses ${describeOutdated(configState)}`, `Run ${COMMAND} and choose "Repair".`);
    case 'refused': // without its message, which contains the path of a folder of the user
      return failed('Its configuration cannot be read', `Run ${COMMAND} to see which file is damaged, and why.`);
    case 'absent':
    case 'other':
      return undefined;
  }
}
