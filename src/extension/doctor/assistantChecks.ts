// What the assistants that were connected are set to.
import { baseUrlOf } from '../../shared/status.ts';
import type { ProxyStatus } from '../../shared/status.ts';
import { oldPlace } from '../assistants/standing.ts';
import type { Standing } from '../assistants/types.ts';
import { check, failed, ok, skipped } from './check.ts';
import type { Check, CheckResult, DoctorContext } from './check.ts';

const COMMAND = '"Sealed Proxy: Connect an Assistant…"';

/** One for each that is connected, or cannot be read; one in their place where there is none. */
export async function assistantChecks({ assistants, status, limit }: DoctorContext): Promise<readonly Check[]> {
  const found: { readonly name: string; readonly standing: Standing }[] = [];
  const looked = await check('Assistants', limit, async () => {
    found.push(...(await assistants()));
    return skipped('none is connected');
  }).run();
  const connected = found.filter(({ standing }) => standing.kind !== 'absent' && standing.kind !== 'other');
  if (connected.length === 0) return [check('Assistants', limit, () => looked)];
  return connected.map(({ name, standing }) => check(`Assistant: ${name}`, limit, () => resultOf(standing, status())));
}

function resultOf(standing: Standing, status: ProxyStatus): CheckResult {
  switch (standing.kind) {
    case 'current':
      // Without an address of ours, nothing was compared: it may be that of somebody else.
      if (baseUrlOf(status) === undefined)
        return skipped('not compared: the proxy is not running, so it has no address');
      return ok(`set to this proxy${standing.model === undefined ? '' : `, model ${standing.model}`}`);
    case 'old':
      return failed(`points to ${oldPlace(standing)}`, `Run ${COMMAND} and choose "Mend".`);
    case 'refused': // whose sentence names a folder of the person's
      return failed('its configuration cannot be read', `Run ${COMMAND}: it says which file, and what is wrong.`);
    case 'absent':
    case 'other':
      return skipped('not connected');
  }
}
