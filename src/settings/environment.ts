// The settings of the command line: variables of the environment.
import { resolveConfig } from './proxyConfig.ts';
import type { ProxyConfig } from './proxyConfig.ts';
import { SCHEMA, SETTING_NAMES } from './schema.ts';
import type { Variable } from './schema.ts';

/** A variable that is missing, empty or blank is not set. */
export type Values = Readonly<Partial<Record<Variable, string>>>;

/** The variables, in the order of `--help`. */
export const VARIABLES = SETTING_NAMES.flatMap((name) => {
  const { variable, json, secret = false, description, default: value } = SCHEMA[name];
  if (variable === undefined) return [];
  const byDefault = String(value);
  const notes = `${json.type === 'array' ? ' Comma-separated.' : ''}${secret ? ' Secret.' : ''}`;
  return [{ name, type: json.type, variable: variable as Variable, byDefault, description: description + notes }];
});

/**
 * All settings of the environment that are not secrets.
 * @throws ConfigError for the first value that cannot be used
 */
export function readEnvironment(values: Values): ProxyConfig {
  const set = VARIABLES.flatMap(({ name, type, variable }) => {
    const text = valueOf(values, variable);
    return text === undefined ? [] : [{ name, text, value: parse(text, type) }];
  });
  return resolveConfig(
    Object.fromEntries(set.map(({ name, value }) => [name, value])),
    Object.fromEntries(set.map(({ name, text }) => [name, text])),
  );
}

/** The value without the space around it; undefined if the variable is not set. */
export function valueOf(values: Values, variable: Variable): string | undefined {
  const value = values[variable]?.trim();
  return value === '' ? undefined : value;
}

/** The value that a text stands for; NaN for a text that is not a number where one is expected. */
function parse(text: string, type: string): unknown {
  if (type === 'array') return [text];
  if (type === 'integer') return /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (type === 'number') return /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  return text;
}
