// What the log says at the start of the command line: who may use the proxy, which variables are not settings, and which
// models the backend does not offer.
import { VARIABLES } from '../../settings/environment.ts';
import type { Values } from '../../settings/environment.ts';
import { SCHEMA } from '../../settings/schema.ts';
import { chatModelEntries, modelEntries } from '../../shared/modelList.ts';
import type { Log } from '../process/log.ts';
import { isOver } from '../server/clientLimits.ts';
import { SEE_MODELS } from '../usage/requestEntry.ts';
import type { Config } from './config.ts';

const KNOWN = VARIABLES.map(({ variable }) => variable);
/** Edits by which a misspelled name may differ from the one that was meant. */
const MAX_DISTANCE = 4;
/** What Kubernetes sets for a Service named `proxy`, in addition to PROXY_PORT. */
const SERVICE_LINK =
  /^PROXY_(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)$/;

/** For a line of the log. */
type KeyCounts = {
  readonly accessKeys: number;
  /** Left out if there are none. */
  readonly expired?: number;
};

/** @param now in milliseconds since 1970 */
export function countKeys({ accessKeys, keyLimits }: Pick<Config, 'accessKeys' | 'keyLimits'>, now: number): KeyCounts {
  const limits = [...(keyLimits?.values() ?? [])];
  const expired = limits.filter(({ expires }) => expires !== undefined && isOver(expires, now)).length;
  return { accessKeys: accessKeys.length, ...(expired > 0 && { expired }) };
}

export function warnIfAllExpired({ accessKeys, expired }: KeyCounts, log: Log): void {
  if (expired !== accessKeys) return;
  const note = 'Every access key has expired, so the proxy refuses all clients that send one. Set new access keys.';
  log.warn('access_keys_expired', { note });
}

/**
 * Who may use the proxy.
 * @param now in milliseconds since 1970
 */
export function describeAccess(
  config: Pick<Config, 'apiKey' | 'accessKeys' | 'accessKeysOnly' | 'keyLimits'>,
  now: number,
): KeyCounts & { readonly note: string } {
  const count = config.accessKeys.length;
  if (config.apiKey === null)
    return { accessKeys: count, note: 'Every client must bring its own API key of the backend.' };
  const others = config.accessKeysOnly ? 'others are refused.' : 'others must bring their own API key of the backend.';
  const key = count === 1 ? 'the access key' : `one of the ${count} access keys`;
  return {
    ...countKeys(config, now),
    note: `Clients with ${key} use the API key of the proxy; ${others}`,
  };
}

/**
 * A warning for each model that the settings or the limits of clients name and the backend does not offer.
 * @param list the parsed body of `GET /v1/models` with the API key of the proxy
 */
export function unknownModels(
  config: Pick<Config, 'messagesModel' | 'responsesModel' | 'clientNames' | 'keyLimits'>,
  list: unknown,
): {
  readonly setting?: string | undefined;
  readonly client?: string;
  readonly model: string;
  readonly note: string;
}[] {
  const [all, chat] = [modelEntries(list), chatModelEntries(list)].map((models) => new Set(models.map(({ id }) => id)));
  const settings = (['messagesModel', 'responsesModel'] as const).flatMap((name) => {
    const model = config[name];
    return model === '' || chat?.has(model) === true ? [] : { setting: SCHEMA[name].variable, model };
  });
  const clients = [...(config.keyLimits ?? [])].flatMap(([id, { models = [] }]) => {
    const client = config.clientNames?.get(id) ?? id;
    return models.filter((model) => all?.has(model) !== true).map((model) => ({ client, model }));
  });
  return [...settings, ...clients].map((found) => ({
    ...found,
    note: `The backend does not offer this model to the API key of the proxy. ${SEE_MODELS}`,
  }));
}

/** A warning for each variable that looks like a setting and is not one, and a single one for those of Kubernetes. */
export function unknownVariables(values: Values): { readonly variable: string; readonly note: string }[] {
  const unknown = unknownNames(values);
  const [link] = unknown.filter((name) => SERVICE_LINK.test(name));
  const warnings = unknown.filter((name) => !SERVICE_LINK.test(name)).map(warningOf);
  if (link === undefined) return warnings;
  const note =
    'Kubernetes sets this variable and others for a Service named "proxy". To turn them off, set enableServiceLinks: false in the Pod.';
  return [...warnings, { variable: link, note }];
}

/** The names that are probably misspelled, as the end of a sentence about a setting that cannot be used; or empty. */
export function misspelledNames(values: Values): string {
  const misspelled = unknownNames(values).filter((name) => !SERVICE_LINK.test(name) && nearestOf(name) !== undefined);
  return misspelled
    .map(warningOf)
    .map(({ variable, note }) => ` (${variable}: ${note})`)
    .join('');
}

function unknownNames(values: Values): readonly string[] {
  return Object.keys(values).filter((name) => name.startsWith('PROXY_') && !KNOWN.includes(name));
}

function warningOf(variable: string): { readonly variable: string; readonly note: string } {
  const nearest = nearestOf(variable);
  const remedy = nearest === undefined ? 'See --help for all settings.' : `Did you mean ${nearest}?`;
  return { variable, note: `This is not a setting of the proxy, and is ignored. ${remedy}` };
}

function nearestOf(name: string): string | undefined {
  const longer = KNOWN.find((candidate) => candidate.startsWith(`${name}_`));
  if (longer !== undefined) return longer;
  const [first] = KNOWN.map((candidate) => ({ candidate, distance: distance(name, candidate) })).toSorted(
    (a, b) => a.distance - b.distance,
  );
  return first !== undefined && first.distance <= MAX_DISTANCE ? first.candidate : undefined;
}

/** The Levenshtein distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
