// The settings of the command line: environment variables.
import { ConfigError, resolveConfig } from './proxyConfig.ts';
import type { ProxyConfig } from './proxyConfig.ts';
import { PROXY_SETTING_NAMES, SCHEMA, SECRETS, SECRET_NAMES } from './schema.ts';
import type { SecretName, SettingName } from './schema.ts';

/** A variable that is missing, empty or blank is not set. */
export type Values = Readonly<Record<string, string | undefined>>;

/** The variables, in the order of `--help`. */
export const VARIABLES = [
  ...Object.entries(SCHEMA).flatMap(([name, { variable, json, description, default: value }]) => {
    if (variable === undefined) return [];
    const notes = `${json.type === 'array' ? ' Comma-separated.' : ''}${Object.hasOwn(SECRETS, name) ? ' Secret.' : ''}`;
    return [{ variable, byDefault: String(value), description: description + notes }];
  }),
  ...SECRET_NAMES.map((name) => {
    const description = `Path of a file with the value of \`${SCHEMA[name].variable}\`, which is then not set.`;
    return { variable: fileVariable(name), byDefault: '', description };
  }),
];

/**
 * All settings of the environment that are not secrets.
 * @throws ConfigError for the first value that cannot be used
 */
export function readEnvironment(values: Values): ProxyConfig {
  const port = textOf(values, 'port');
  if (port?.startsWith('tcp://') === true) {
    const allowed =
      'Kubernetes sets it for a Service named "proxy"; set enableServiceLinks: false in the Pod, or set PROXY_PORT in the container';
    throw new ConfigError('port', allowed, port);
  }
  return resolveConfig(Object.fromEntries(PROXY_SETTING_NAMES.map((name) => [name, textOf(values, name)])));
}

/** The text of a setting without the space around it; undefined if the variable is not set. */
export function textOf(values: Values, name: SettingName): string | undefined {
  const text = values[SCHEMA[name].variable ?? '']?.trim();
  return text === '' ? undefined : text;
}

/** The variable that names a file with a secret. */
export function fileVariable(name: SecretName): string {
  return `${SCHEMA[name].variable ?? name}_FILE`;
}

/**
 * The path of the file with a secret; undefined if the variable is not set.
 * @throws ConfigError if the secret itself is set too
 */
export function filePathOf(values: Values, name: SecretName): string | undefined {
  const variable = fileVariable(name);
  const path = values[variable]?.trim();
  if (path === undefined || path === '') return undefined;
  if (textOf(values, name) === undefined) return path;
  throw new ConfigError(name, `${SCHEMA[name].variable ?? name} is set too: set only one of them`, undefined, variable);
}
