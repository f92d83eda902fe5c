// Whether an HTTP proxy takes the requests that an assistant sends to our address. Pure.
import { redact } from '../../presentation/redaction.ts';
import { isException } from '../../settings/proxyRoute.ts';
import type { Remedy, Route } from './judgement.ts';
import type { Variable, Variables } from './variables.ts';

/** What an assistant does with the variables that name HTTP proxies, for an address that begins with `http:`. */
export interface ProxyRule {
  /** Those that it uses. All names are compared without regard to case. */
  readonly used: readonly string[];
  /** Those of which that is not known. */
  readonly doubtful: readonly string[];
  /** Whether `*` as the complete list of exceptions stands for every address. */
  readonly wildcard: boolean;
  /** Which spelling wins if both are set and differ; undefined if that is not known. */
  readonly preferred?: 'NO_PROXY' | 'no_proxy';
  /** Whether that spelling also wins if it is set to an empty text. */
  readonly emptyWins?: true;
}

/** Programs of Bun choose the variable by the protocol of the address. */
export const BUN: ProxyRule = { used: ['HTTP_PROXY'], doubtful: ['HTTPS_PROXY', 'ALL_PROXY'], wildcard: false };

const NO_PROXY = 'NO_PROXY';
const OUR_HOST = '127.0.0.1';
/** What to add to a list of exceptions. Programs that compare texts need the address, others may ask for the name. */
export const EXCEPTIONS: readonly string[] = [OUR_HOST, 'localhost'];
/** For the start-up file of a shell. */
export const SHELL_LINE = `export NO_PROXY="$NO_PROXY,${EXCEPTIONS.join(',')}" no_proxy="$no_proxy,${EXCEPTIONS.join(',')}"`;

/** A list of exceptions with our host in it; the list itself if it has it. */
export function withExceptions(list: string): string {
  const entries = entriesOf(list);
  const missing = EXCEPTIONS.filter((host) => !entries.includes(host));
  return missing.length === 0 ? list : [...(list.trim() === '' ? [] : [list]), ...missing].join(',');
}

/**
 * The route of all prompts, if an HTTP proxy takes them or may take them.
 * @param baseUrl our address
 * @param shellRemedy for a variable of the shell, if connecting sets what exempts us from it
 */
export function proxiedRoute(
  variables: Variables,
  rule: ProxyRule,
  baseUrl: string,
  shellRemedy: Remedy = { kind: 'copy', text: SHELL_LINE },
): Route | undefined {
  const exemption = exemptionIn(variables, rule, baseUrl);
  if (exemption === 'certain') return undefined;
  const used = findFirst(variables, rule.used);
  const found = used ?? findFirst(variables, rule.doubtful);
  if (found === undefined) return undefined;
  const isCertain = used !== undefined && exemption === 'none';
  const destination = isCertain
    ? ({ kind: 'elsewhere', recipient: hostOf(found.value), through: 'httpProxy' } as const)
    : ({ kind: 'unknown' } as const);
  const { source } = found;
  const remedy = found.remedy ?? (source.kind === 'file' ? ({ kind: 'open', source } as const) : shellRemedy);
  return { prompts: 'All prompts', destination, source, remedy };
}

/** Programs differ in how they read the list, and in which spelling of its name wins: each must have our address. */
function exemptionIn(
  variables: Variables,
  { wildcard, preferred, emptyWins }: ProxyRule,
  baseUrl: string,
): 'certain' | 'uncertain' | 'none' {
  const all = named(variables, NO_PROXY);
  const preferredList = preferred === undefined ? undefined : variables.get(preferred)?.value.trim();
  if (preferredList === '' && emptyWins === true) return 'none';
  const winner = preferredList ?? '';
  const lists = winner === '' ? all.map(({ value }) => value) : [winner];
  const isCertain = (list: string) => entriesOf(list).includes(OUR_HOST) || (wildcard && list.trim() === '*');
  if (lists.length === 0) return 'none';
  if (lists.every(isCertain)) return 'certain';
  return lists.some((list) => isCertain(list) || isException(list, baseUrl)) ? 'uncertain' : 'none';
}

function entriesOf(list: string): readonly string[] {
  return list.split(',').map((entry) => entry.trim());
}

function findFirst(variables: Variables, names: readonly string[]): Variable | undefined {
  return names.flatMap((name) => named(variables, name))[0];
}

/** A variable in each spelling in which it is set. */
function named(variables: Variables, name: string): readonly Variable[] {
  return [...variables]
    .filter(([each, { value }]) => each.toUpperCase() === name && value.trim() !== '')
    .map(([, variable]) => variable);
}

/** Without user name and password. */
function hostOf(proxy: string): string {
  const url = URL.parse(proxy.includes('://') ? proxy : `http://${proxy}`);
  return url === null ? redact(proxy) : url.host;
}
