import { isLiveSetting } from '../settings/schema.ts';
import type { CompleteProxySettings, LiveSettings } from '../settings/schema.ts';
import type { ImageRules, NetworkSettings } from '../shared/messages.ts';

/** What a proxy is started with. */
export interface LaunchConfig {
  readonly settings: CompleteProxySettings;
  readonly network: NetworkSettings;
  readonly images?: ImageRules | undefined;
}

/** What a change of settings requires: nothing, a message to the running proxy, or another process. */
export type SettingsDiff =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'live'; readonly settings: LiveSettings }
  | { readonly kind: 'restart' };

/** Compares by value. A live difference comes with the new values of all live settings. */
export function diffSettings(before: LaunchConfig, after: LaunchConfig): SettingsDiff {
  if (!isEqual(before.network, after.network)) return { kind: 'restart' };
  const names = Object.keys({ ...before.settings, ...after.settings }) as (keyof CompleteProxySettings)[];
  const changed = names.filter((name) => !isEqual(before.settings[name], after.settings[name]));
  if (changed.length === 0 && isEqual(before.images, after.images)) return { kind: 'unchanged' };
  if (!changed.every(isLiveSetting)) return { kind: 'restart' };
  const live = names.filter(isLiveSetting).map((name) => [name, after.settings[name]]);
  return { kind: 'live', settings: Object.fromEntries(live) as LiveSettings };
}

function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
