// What the assistants that were connected are set to.
import { describeOutdated } from '../assistants/configState.ts';
import type { ConfigState } from '../assistants/types.ts';
import { check, failed, ok, skipped } from './check.ts';
import type { Check, CheckResult, DoctorContext } from './check.ts';

const COMMAND = '"Sealed Proxy: Connect an Assistant…"';

/** One for each that is connected, or cannot be read; one in their place where there is none. */
export async function assistantChecks({ assistants, limit }: DoctorContext): Promise<readonly Check[]> {
  const found: { readonly name: string; readonly configState: ConfigState }[] = [];
  const looking = check('Assistants', limit, async () => {
    found.push(...(await assistants()));
    return ok('');
  });
  if ((await looking.run()).result === 'failed') {
    const unseen = failed('they could not be looked at', 'Run this again; the log may say more.');
    return [check('Assistants', limit, () => unseen)];
  }
  const connected = found.filter(({ configState }) => configState.kind !== 'absent' && configState.kind !== 'other');
  if (connected.length === 0) return [check('Assistants', limit, () => skipped('none is connected'))];
  return connected.map(({ name, configState }) => check(`Assistant: ${name}`, limit, () => resultOf(configState)));
}

function resultOf(configState: ConfigState): CheckResult {
  switch (configState.kind) {
    case 'current':
      if (configState.uncompared === true) return skipped('connected; its address is compared while the proxy runs');
      if (configState.elsewhere !== undefined)
        return ok('set to this proxy, but another model or provider is chosen there');
      return ok(`set to this proxy${configState.model === undefined ? '' : `, model ${configState.model}`}`);
    case 'old':
      return failed(`uses ${describeOutdated(configState)}`, `Run ${COMMAND} and choose "Repair".`);
    case 'refused': // whose sentence names a folder of the person's
      return failed('its configuration cannot be read', `Run ${COMMAND}: it says which file, and what is wrong.`);
    case 'absent':
    case 'other':
      return skipped('not connected');
  }
}
