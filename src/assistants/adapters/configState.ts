// Compares what an assistant's configuration contains with what it should contain. Pure.
import { redact } from '../../presentation/redaction.ts';
import { isAccessKey } from '../../shared/accessKeys.ts';
import { asLabel } from '../../shared/escape.ts';
import type { Refused } from '../files/change.ts';
import type { Judgement } from '../judging/judgement.ts';
import type { ConfigState, Expected } from './assistant.ts';

/** What was read from a configuration. */
export interface Reading {
  /** The entry in our place, if any. */
  readonly entry?: { readonly baseUrl: unknown; readonly key: unknown; readonly model: unknown } | undefined;
  /** The model or provider that is selected in the assistant. */
  readonly selected?: unknown;
}

export function classifyConfig(reading: Reading | Refused, { baseUrl, key }: Expected): ConfigState {
  if ('message' in reading) return reading;
  const { entry, selected } = reading;
  if (entry !== undefined && isAccessKey(entry.key)) {
    const model = typeof entry.model === 'string' ? entry.model : undefined;
    const outdated = { baseUrl: baseUrl !== undefined && entry.baseUrl !== baseUrl, key: entry.key !== key };
    if (outdated.baseUrl || outdated.key) return { kind: 'outdated', ...outdated, model };
    return { kind: 'current', model, ...(baseUrl === undefined ? { uncompared: true } : {}) };
  }
  const what = [entry?.baseUrl, selected].find((each) => typeof each === 'string');
  return typeof what === 'string' ? { kind: 'other', what: redact(what) } : { kind: 'absent' };
}

/** What an assistant is set to and where its prompts go, in a few words. */
export function describeConfigState(state: ConfigState, { kind }: Judgement): string {
  switch (state.kind) {
    case 'current':
      if (state.uncompared === true) return NOT_CHECKED;
      if (kind !== 'sealed') return NOT_SEALED[kind];
      return state.model === undefined ? 'connected' : `connected, model ${asLabel(state.model)}`;
    case 'outdated':
      return `uses ${describeOutdated(state)}`;
    case 'other':
      return `currently uses ${asLabel(state.what)}`;
    case 'refused':
      return state.message;
    case 'absent':
      return '';
  }
}

/** Our entry is as it should be, but not all prompts are known to go to the proxy. */
export function isDoubtful(state: ConfigState, { kind }: Judgement): boolean {
  return state.kind === 'current' && state.uncompared !== true && kind !== 'sealed';
}

/** Without the proxy, nothing says which address the configuration should have. */
export const NOT_CHECKED = 'configured, but not checked: no proxy runs for this window';

const NOT_SEALED: Readonly<Record<Exclude<Judgement['kind'], 'sealed'>, string>> = {
  partly: 'not connected completely: some prompts go elsewhere',
  elsewhere: 'configured, but its prompts go elsewhere',
  unknown: 'configured, but it is not known where all prompts go',
};

/** Which parts of our entry are outdated, to follow the word "uses". */
export function describeOutdated({ baseUrl, key }: Extract<ConfigState, { kind: 'outdated' }>): string {
  if (baseUrl && key) return 'an outdated address and access key';
  return baseUrl ? 'an outdated address' : 'an outdated access key';
}

/** Why a request with this configuration is not sent, for the user. */
export function describeUncheckable(name: string, state: ConfigState): string {
  switch (state.kind) {
    case 'current':
      return noModel(name);
    case 'outdated':
      return `${name} uses ${describeOutdated(state)}. Repair it, then check again.`;
    case 'refused':
      return state.message;
    case 'other':
    case 'absent':
      return `${name} is not connected to Sealed Proxy.`;
  }
}

export function noModel(name: string): string {
  return `No model is set in ${name}. Connect it again.`;
}
