// What an assistant is set to, compared with what it should be. Pure but for the request that a check sends.
import { isAccessKey } from '../shared/accessKeys.ts';
import { maskKnown } from './files/preview.ts';
import type { Ask, Checked, Expected, Refused, ConfigState } from './types.ts';

/** What stands where our entry would be, and what the assistant is set to. */
export interface Reading {
  readonly entry?: { readonly baseUrl: unknown; readonly key: unknown; readonly model: unknown } | undefined;
  readonly selected?: unknown;
  /** What is selected, where that is not our entry. */
  readonly elsewhere?: unknown;
}

export function classifyConfig(reading: Reading | Refused, { baseUrl, key }: Expected): ConfigState {
  if ('message' in reading) return reading;
  const { entry, selected, elsewhere } = reading;
  if (entry !== undefined && isAccessKey(entry.key)) {
    const model = typeof entry.model === 'string' ? entry.model : undefined;
    const old = { baseUrl: baseUrl !== undefined && entry.baseUrl !== baseUrl, key: entry.key !== key };
    if (old.baseUrl || old.key) return { kind: 'old', ...old, model };
    const where = typeof elsewhere === 'string' ? { elsewhere: maskKnown(elsewhere) } : {};
    return { kind: 'current', model, ...where, ...(baseUrl === undefined ? { uncompared: true } : {}) };
  }
  const what = [entry?.baseUrl, selected].find((each) => typeof each === 'string');
  return typeof what === 'string' ? { kind: 'other', what: maskKnown(what) } : { kind: 'absent' };
}

/**
 * Asks with the key and the model of the entry. An entry that is not of now is not asked with: its key would be refused,
 * or be told to whoever has the old port.
 */
export async function checkEntry(
  name: string,
  reading: Reading | Refused,
  expected: Expected,
  ask: Ask,
): Promise<Checked> {
  const configState = classifyConfig(reading, expected);
  switch (configState.kind) {
    case 'current':
      if (configState.model === undefined || expected.key === undefined) return failed(`${name} has no model set.`);
      return ask(expected.key, configState.model);
    case 'old':
      return failed(`${name} points to ${oldPlace(configState)}. Mend it, then check again.`);
    case 'refused':
      return failed(configState.message);
    case 'other':
    case 'absent':
      return failed(`${name} is not connected to Sealed Proxy.`);
  }
}

/** What is out of date, in words. */
export function oldPlace({ baseUrl, key }: Extract<ConfigState, { kind: 'old' }>): string {
  if (baseUrl && key) return 'an old address, with an old key';
  return baseUrl ? 'an old address' : 'this proxy with an old key';
}

function failed(message: string): Checked {
  return { kind: 'failed', message };
}
