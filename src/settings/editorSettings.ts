// The settings under the names that they have in the editor.
import { settingOfWrongType } from '../shared/messages.ts';
import type { NetworkSettings, ProxySettings } from '../shared/messages.ts';
import { ConfigError, readProxyUrl, readSettings } from './settings.ts';
import type { Values, Variable } from './settings.ts';

const VARIABLE_OF: Readonly<Record<keyof ProxySettings, Variable>> = {
  host: 'PROXY_HOST',
  port: 'PROXY_PORT',
  backendUrl: 'PROXY_BACKEND_URL',
  pcr0Environment: 'PROXY_PCR0_ENVIRONMENT',
  additionalPcr0: 'PROXY_ADDITIONAL_PCR0',
  requestTimeoutSeconds: 'PROXY_REQUEST_TIMEOUT_SECS',
  streamIdleTimeoutSeconds: 'PROXY_STREAM_IDLE_TIMEOUT_SECS',
  allowedHosts: 'PROXY_ALLOWED_HOSTS',
  allowedOrigins: 'PROXY_ALLOWED_ORIGINS',
  logLevel: 'PROXY_LOG_LEVEL',
};

/** A setting that cannot be used: its name in the editor, and a sentence. */
export interface Problem {
  readonly setting: keyof ProxySettings | 'httpsProxy';
  readonly message: string;
}

/** All that is wrong, each setting by itself: what a proxy would say to it. */
export function problemsOf(settings: ProxySettings, network: NetworkSettings): Problem[] {
  const names = Object.keys(VARIABLE_OF) as (keyof ProxySettings)[];
  const checks = names.map((name) => () => {
    const alone: ProxySettings = { [name]: settings[name] };
    if (settingOfWrongType(alone) !== undefined) return wrongType(name);
    readSettings(toValues(alone));
    return undefined;
  });
  return [...checks, () => proxyProblem(network)].map(problemIn).filter((problem) => problem !== undefined);
}

function proxyProblem(network: NetworkSettings): Problem | undefined {
  if (typeof (network.httpsProxy ?? '') !== 'string') return wrongType('httpsProxy');
  readProxyUrl(network, {});
  return undefined;
}

function wrongType(setting: Problem['setting']): Problem {
  return { setting, message: `${setting}: its value is not of the right type.` };
}

function problemIn(check: () => Problem | undefined): Problem | undefined {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { setting: settingOf(error.variable) ?? 'httpsProxy', message: sentenceOf(error) };
  }
}

/** A list without items, where an empty text would mean the default. */
export const NOTHING = ',';

/** The settings of a message as the variables that the one table of rules knows. */
export function toValues(settings: ProxySettings): Values {
  const values: Partial<Record<Variable, string>> = {};
  for (const [name, variable] of Object.entries(VARIABLE_OF) as [keyof ProxySettings, Variable][]) {
    const value = settings[name];
    if (value !== undefined) values[variable] = typeof value === 'object' ? value.join(',') || NOTHING : String(value);
  }
  return values;
}

/** What is wrong, under the name that the setting has in the editor. */
export function sentenceOf({ message, variable }: ConfigError): string {
  const setting = settingOf(variable);
  return setting === null ? message : message.replace(variable, setting);
}

export function settingOf(variable: ConfigError['variable']): Problem['setting'] | null {
  if (variable === 'HTTPS_PROXY') return 'httpsProxy';
  return (Object.keys(VARIABLE_OF) as (keyof ProxySettings)[]).find((name) => VARIABLE_OF[name] === variable) ?? null;
}
