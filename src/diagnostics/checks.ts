// The list of checks and its order: what a later one needs, an earlier one has looked at.
import { assistantChecks } from './assistantChecks.ts';
import { backendChecks } from './backendChecks.ts';
import { check, ok } from './check.ts';
import type { Check, CheckResult, DoctorContext } from './check.ts';
import { localChecks } from './localChecks.ts';

/** How long one check may take, in milliseconds: a large model may think for long before it says its first word. */
export const CHECK_LIMIT = 30_000;

export interface NamedResult extends CheckResult {
  readonly name: string;
}

/** Runs everything, one after the other. Never throws. */
export async function diagnose(context: DoctorContext): Promise<readonly NamedResult[]> {
  await check('Connection', context.limit, async () => {
    await context.refresh();
    return ok('');
  }).run(); // its outcome is the status, which the others look at
  const results: NamedResult[] = [];
  const run = async (checks: readonly Check[]) => {
    for (const each of checks) results.push({ name: each.name, ...(await each.run()) });
  };
  await run([...localChecks(context), ...backendChecks(context)]);
  await run(await assistantChecks(context));
  return results;
}
