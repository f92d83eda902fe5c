// Runs all checks.
import { checkAssistants } from './assistantChecks.ts';
import { backendChecks } from './backendChecks.ts';
import { passed, runCheck } from './check.ts';
import type { DiagnosticsContext, NamedResult } from './check.ts';
import { localChecks } from './localChecks.ts';
import { networkChecks } from './networkChecks.ts';

/** The time limit of one check, in milliseconds: a large model may take long to produce its first token. */
export const CHECK_LIMIT = 30_000;

/** Runs all checks, one after the other. Never rejects. */
export async function diagnose(context: DiagnosticsContext): Promise<readonly NamedResult[]> {
  const { limit, refresh } = context;
  const refreshed = async () => {
    await refresh();
    return passed('');
  };
  await runCheck(refreshed, limit); // the checks read its outcome from the status
  const results: NamedResult[] = [];
  for (const { name, run } of [...localChecks(context), ...networkChecks(context), ...backendChecks(context)]) {
    results.push({ name, ...(await runCheck(run, limit)) });
  }
  return [...results, ...(await checkAssistants(context))];
}
