import type { NetworkSettings, ProxySettings, ToProxy } from '../shared/messages.ts';
import type { CompleteSettings } from './supervisorHost.ts';

/** What a proxy is started with. */
export interface LaunchConfig {
  readonly settings: CompleteSettings;
  readonly network: NetworkSettings;
}

/** Settings that a running proxy can take. */
export type LiveSettings = Extract<ToProxy, { type: 'update' }>['settings'];

/** What a change of settings takes: nothing, a message to the running proxy, or another process. */
export type SettingsDiff =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'live'; readonly settings: LiveSettings }
  | { readonly kind: 'restart' };

const LIVE = ['requestTimeoutSeconds', 'streamIdleTimeoutSeconds', 'allowedOrigins', 'logLevel'];

/** True if a running proxy can take a new value of this setting. */
function isLive(name: string): boolean {
  return LIVE.includes(name);
}

/** Compares by value. A live difference comes with the new values of all live settings. */
export function diffSettings(before: LaunchConfig, after: LaunchConfig): SettingsDiff {
  if (!isEqual(before.network, after.network)) return { kind: 'restart' };
  const names = Object.keys({ ...before.settings, ...after.settings }) as (keyof CompleteSettings)[];
  const changed = names.filter((name) => !isEqual(before.settings[name], after.settings[name]));
  if (changed.length === 0) return { kind: 'unchanged' };
  if (!changed.every(isLive)) return { kind: 'restart' };
  const live: ProxySettings = Object.fromEntries(names.filter(isLive).map((name) => [name, after.settings[name]]));
  return { kind: 'live', settings: live };
}

function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
