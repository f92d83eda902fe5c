// The settings of the command line: variables of the environment.
import { resolveConfig } from './proxyConfig.ts';
import type { ProxyConfig, WrittenNumbers } from './proxyConfig.ts';
import { SETTING_NAMES, settingOf } from './schema.ts';
import type { ProxySettings, Variable } from './schema.ts';

/** A variable that is missing, empty or blank is not set. */
export type Values = Readonly<Partial<Record<Variable, string>>>;

/** The variables, in the order of `--help`. */
export const VARIABLES = SETTING_NAMES.flatMap((name) => {
  const { variable, json, secret = false, description, defaultText, default: value } = settingOf(name) ?? {};
  if (variable === undefined) return [];
  const byDefault = defaultText ?? [value ?? []].flat().join(',');
  const notes = `${json?.type === 'array' ? ' Comma-separated.' : ''}${secret ? ' Secret.' : ''}`;
  return [{ name, variable: variable as Variable, byDefault, description: `${description}${notes}` }];
});

/**
 * All settings of the environment that are not secrets.
 * @throws ConfigError for the first value that cannot be used
 */
export function readEnvironment(values: Values): ProxyConfig {
  const written: WrittenNumbers = Object.fromEntries(
    VARIABLES.map(({ name, variable }) => [name, valueOf(values, variable)]),
  );
  const settings = Object.entries(written).map(([name, text]) => [
    name,
    text && parse(text, settingOf(name)?.json.type),
  ]);
  return resolveConfig(Object.fromEntries(settings) as ProxySettings, written);
}

/** The value without the space around it; undefined if the variable is not set. */
export function valueOf(values: Values, variable: Variable): string | undefined {
  const value = values[variable]?.trim();
  return value === '' ? undefined : value;
}

/** The value of a text, NaN for something else in the place of a number. */
function parse(text: string, type: string | undefined): unknown {
  if (type === 'array') return [text];
  if (type === 'integer') return /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (type === 'number') return /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  return text;
}
