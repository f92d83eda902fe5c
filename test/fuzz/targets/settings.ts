// Settings, as the editor and as the environment have them: each is used, or refused with a sentence that shows no secret.
import assert from 'node:assert/strict';
import { readConfig } from '../../../src/proxy/hosts/config.ts';
import { VARIABLES } from '../../../src/settings/environment.ts';
import { ConfigError, resolveConfig } from '../../../src/settings/proxyConfig.ts';
import { SCHEMA, SECRET_NAMES, isProxySettings } from '../../../src/settings/schema.ts';
import { findProblems } from '../../../src/settings/validateSettings.ts';
import { asObject, parseJson } from '../../../src/shared/json.ts';
import { ACCESS_KEY, API_KEY } from '../../support/e2e/scope.ts';
import { jsonOf, mutate } from '../../support/mutations.ts';
import type { FuzzTarget } from '../target.ts';

const SECRET_VARIABLES = SECRET_NAMES.map((name) => SCHEMA[name].variable ?? '');
/** A shorter one may be a part of a sentence. */
const SHORTEST_SECRET = 8;

const EDITOR = Object.fromEntries(Object.entries(SCHEMA).map(([name, setting]) => [name, setting.default]));
const ENVIRONMENT = Object.fromEntries(VARIABLES.map(({ variable, byDefault }) => [variable, byDefault]));

export const target: FuzzTarget = {
  seeds: () => [
    JSON.stringify(EDITOR),
    JSON.stringify({
      ...EDITOR,
      backendUrl: 'http://127.0.0.1:3000',
      additionalPcr0: ['ab'.repeat(48)],
      allowedOrigins: ['http://localhost:3000', 'vscode-webview://*'],
      httpsProxy: 'http://user:password@proxy.example:3128',
    }),
    JSON.stringify(ENVIRONMENT),
    JSON.stringify({
      ...ENVIRONMENT,
      PROXY_API_KEY: API_KEY,
      PROXY_ACCESS_KEYS: `alice:${ACCESS_KEY}`,
      PROXY_CACHE_NAMESPACE_ROOT: Buffer.alloc(32, 1).toString('base64'),
    }),
    JSON.stringify({
      keyFile: `# keys\nalice:${ACCESS_KEY} expires=2027-01-31 models=a,b requests=60/min tokens=9/min\n`,
    }),
  ],
  mutate: (input, random) => jsonOf(mutate(parseJson(input), random)),
  run: (input) => {
    const settings = asObject(parseJson(input));
    if (settings === undefined) return;
    checkEditor(settings);
    checkEnvironment(settings);
  },
};

function checkEditor(settings: Readonly<Record<string, unknown>>): void {
  const { httpsProxy, ...proxy } = settings;
  const known = Object.fromEntries(Object.entries(proxy).filter(([name]) => Object.hasOwn(SCHEMA, name)));
  const network =
    httpsProxy === undefined ? { strictTls: true } : { strictTls: true, httpsProxy: httpsProxy as string };
  const problems = findProblems(known, network);
  const others: typeof known = { ...known, apiKey: disguise(known['apiKey']) };
  for (const problem of problems) checkSentence(problem, [known['apiKey']], findProblems(others, network));
  if (!isProxySettings(known)) return;
  const refused = refusal(() => resolveConfig(known));
  const names = problems.map(({ setting }) => setting);
  if (refused !== undefined) assert.ok(names.includes(refused.setting), `only the proxy refuses ${refused.setting}`);
  else
    assert.deepEqual(
      names.filter((name) => name !== 'httpsProxy'),
      [],
      'only the editor refuses it',
    );
}

function checkEnvironment(fields: Readonly<Record<string, unknown>>): void {
  const texts = Object.entries(fields).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  const { keyFile, ...values } = Object.fromEntries(texts);
  const given: Readonly<Record<string, string | undefined>> =
    keyFile === undefined ? values : { ...values, PROXY_API_KEY: API_KEY, PROXY_ACCESS_KEYS: undefined };
  const read = (variables: typeof given, text = keyFile) =>
    readConfig(variables, text === undefined ? {} : { accessKeys: { path: '/run/keys', text } });
  const refused = refusal(() => read(given));
  if (refused === undefined) return;
  const others = Object.fromEntries(SECRET_VARIABLES.map((name) => [name, disguise(given[name])]));
  const disguised = refusal(() => read({ ...given, ...others }, disguise(keyFile)));
  const secrets = [keyFile, ...SECRET_VARIABLES.map((name) => given[name])];
  checkSentence(refused, secrets, disguised === undefined ? [] : [disguised]);
}

/** Another secret, used or refused for the same reason: each letter and digit is the next one, except where Base64 ends. */
function disguise<T>(secret: T): T | string {
  if (typeof secret !== 'string') return secret;
  const next = (character: string) => String.fromCharCode(character.charCodeAt(0) + 1);
  return secret.replaceAll(/[a-y0-8](?=..)/gi, next);
}

function refusal(read: () => unknown): ConfigError | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    assert.ok(error instanceof ConfigError, error instanceof Error ? (error.stack ?? '') : String(error));
    return error;
  }
}

/**
 * One line that names the setting and says what is allowed, without secrets.
 *
 * @param disguised what is said of other secrets: the text of a secret that is there too is not from the secret
 */
function checkSentence(error: ConfigError, secrets: readonly unknown[], disguised: readonly ConfigError[]): void {
  const others = disguised.flatMap(sentencesOf);
  const texts = secrets.filter((secret) => typeof secret === 'string').map((secret) => secret.trim());
  for (const sentence of sentencesOf(error)) {
    assert.match(sentence, /^[\w.]+(?:=.*)? cannot be used: .{10,}$/);
    assert.ok(sentence.length < 1000, `${sentence.length} characters`);
    for (const text of texts) {
      const isShown = text.length >= SHORTEST_SECRET && sentence.includes(text);
      if (isShown)
        assert.ok(
          others.some((other) => other.includes(text)),
          'a secret is shown',
        );
    }
  }
}

function sentencesOf({ message, editorMessage }: ConfigError): readonly string[] {
  return [message, editorMessage];
}
