// Compares what an assistant's configuration contains with what it should contain. Pure.
import { redact } from '../presentation/redaction.ts';
import { isAccessKey } from '../shared/accessKeys.ts';
import { asLabel } from '../shared/escape.ts';
import type { ConfigState, Expected, Refused } from './types.ts';

/** What was read from a configuration. */
export interface Reading {
  /** The entry in our place, if any. */
  readonly entry?: { readonly baseUrl: unknown; readonly key: unknown; readonly model: unknown } | undefined;
  /** The model or provider that is selected in the assistant. */
  readonly selected?: unknown;
  /** The same, if it is not our entry. */
  readonly elsewhere?: unknown;
}

export function classifyConfig(reading: Reading | Refused, { baseUrl, key }: Expected): ConfigState {
  if ('message' in reading) return reading;
  const { entry, selected, elsewhere } = reading;
  if (entry !== undefined && isAccessKey(entry.key)) {
    const model = typeof entry.model === 'string' ? entry.model : undefined;
    const outdated = { baseUrl: baseUrl !== undefined && entry.baseUrl !== baseUrl, key: entry.key !== key };
    if (outdated.baseUrl || outdated.key) return { kind: 'outdated', ...outdated, model };
    const other = typeof elsewhere === 'string' ? { elsewhere: redact(elsewhere) } : {};
    return { kind: 'current', model, ...other, ...(baseUrl === undefined ? { uncompared: true } : {}) };
  }
  const what = [entry?.baseUrl, selected].find((each) => typeof each === 'string');
  return typeof what === 'string' ? { kind: 'other', what: redact(what) } : { kind: 'absent' };
}

/** What an assistant is set to, in a few words. */
export function describeConfigState(state: ConfigState): string {
  switch (state.kind) {
    case 'current':
      if (state.uncompared === true) return 'connected; the proxy is not running';
      if (state.elsewhere !== undefined) return `connected, but currently uses ${asLabel(state.elsewhere)}`;
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
