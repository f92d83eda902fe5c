// Checks the configuration of connected assistants.
import type { ConfigState } from '../assistants/adapters/assistant.ts';
import { NOT_CHECKED, describeOutdated } from '../assistants/adapters/configState.ts';
import { describeSource } from '../assistants/judge.ts';
import type { Judgement, Source } from '../assistants/judging/judgement.ts';
import { capitalized, listed } from '../presentation/text.ts';
import { failed, passed, runCheck, skipped } from './check.ts';
import type { CheckResult, DiagnosticsContext, NamedResult } from './check.ts';

const NAME = 'Assistants';
const NOT_SEALED = {
  partly: 'Some prompts go elsewhere',
  elsewhere: 'Its prompts go elsewhere',
  unknown: 'It is not known where all prompts go',
} as const;
const COMMAND = '"Sealed Proxy: Connect an Assistant…"';

const REMEDY = `Run ${COMMAND}, which shows where its prompts go and what to change.`;

/** A result for each assistant that is connected or cannot be read, or one result if there is no such assistant. */
export async function checkAssistants({ assistants, limit }: DiagnosticsContext): Promise<readonly NamedResult[]> {
  const connected: NamedResult[] = [];
  const reading = await runCheck(async () => {
    for (const { name, configState, judgement } of await assistants()) {
      const result = resultOf(configState, judgement);
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

/** Names what decides, and neither the recipients nor the user's agents: the report is for others. */
function describeUnsealed({ kind, routes }: Judgement): string {
  const doubtful = routes.filter(
    ({ destination }) => destination.kind === 'elsewhere' || destination.kind === 'unknown',
  );
  const sources = new Set(doubtful.flatMap(({ source }) => (source === undefined ? [] : [publicSource(source)])));
  const because = sources.size === 0 ? '' : ` because of ${listed([...sources])}`;
  return `${NOT_SEALED[kind === 'sealed' ? 'unknown' : kind]}${because}`;
}

function publicSource(source: Source): string {
  return source.kind === 'file' ? (source.path.split(/[\\/]/).at(-1) ?? '') : describeSource(source);
}

/** Undefined for an assistant that is not connected. */
function resultOf(configState: ConfigState, judgement: Judgement): CheckResult | undefined {
  switch (configState.kind) {
    case 'current':
      if (configState.uncompared === true) {
        return skipped(capitalized(NOT_CHECKED));
      }
      if (judgement.kind !== 'sealed') return failed(describeUnsealed(judgement), REMEDY);
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
