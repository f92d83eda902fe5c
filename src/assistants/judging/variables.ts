// Environment variables as a program sees them, each with where it was set. Pure.
import type { Remedy, Source } from './judgement.ts';
import type { Environment, Surroundings } from './surroundings.ts';

export interface Variable {
  readonly value: string;
  readonly source: Source;
  /** What changes it, if opening its source is not the best way. */
  readonly remedy?: Remedy;
}

export type Variables = ReadonlyMap<string, Variable>;

/** Where a variable of the editor's terminals comes from that the editor has not. */
export const TERMINAL = { kind: 'setting', key: 'terminal.integrated.env' } as const satisfies Source;

/** The variables of Windows, whose names are the same in upper and lower case. */
class CaselessVariables extends Map<string, Variable> {
  override get(name: string): Variable | undefined {
    return super.get(name.toUpperCase());
  }

  override has(name: string): boolean {
    return super.has(name.toUpperCase());
  }

  /** The constructor calls it, too. */
  override set(name: string, variable: Variable): this {
    return super.set(name.toUpperCase(), variable);
  }
}

/** The variables with which a program may be started, once for each place that differs: the editor and its terminals. */
export function startVariables({ editor, terminal, platform }: Surroundings): readonly Variables[] {
  const inEditor = ofEnvironment(editor, platform, (name) => ({ kind: 'variable', name }));
  const inTerminal = ofEnvironment(terminal, platform, (name) =>
    editor[name] === terminal[name] ? { kind: 'variable', name } : TERMINAL,
  );
  const isSame = Object.keys({ ...editor, ...terminal }).every((name) => editor[name] === terminal[name]);
  return isSame ? [inEditor] : [inEditor, inTerminal];
}

function ofEnvironment(
  environment: Environment,
  platform: NodeJS.Platform,
  sourceOf: (name: string) => Source,
): Variables {
  const set = Object.entries(environment).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, { value, source: sourceOf(name) }] as const],
  );
  return platform === 'win32' ? new CaselessVariables(set) : new Map(set);
}

/** The variables of both; the inner ones replace those of the same name. */
export function overlay(outer: Variables, inner: Iterable<readonly [string, Variable]>): Variables {
  const isCaseless = outer instanceof CaselessVariables || inner instanceof CaselessVariables;
  const all = [...outer, ...inner];
  return isCaseless ? new CaselessVariables(all) : new Map(all);
}

/**
 * With the variables of an object in a file, which replace those of the same name.
 * @param own the assistant's own file, in which connecting sets them
 */
export function withFile(variables: Variables, values: unknown, path: string, prefix: string, own?: string): Variables {
  const remedy: Remedy | undefined = path === own ? { kind: 'connect' } : undefined;
  if (typeof values !== 'object' || values === null) return variables;
  const set = Object.entries(values).flatMap(([name, value]) => {
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return [];
    const source: Source = { kind: 'file', path, name: prefix + name };
    return [[name, { value: String(value), source, ...(remedy && { remedy }) }] as const];
  });
  return overlay(variables, set);
}

/** A line of a `.env` file: the name, and the value in quotes, which may have several lines, or without. */
const LINE =
  /^[\t \ufeff]*(?:export[\t ]+)?(?<name>[\w.-]+)(?:[\t ]*=|:(?=\s))[\t ]*(?:"(?<double>[^"]*)"|'(?<single>[^']*)'|`(?<back>[^`]*)`|(?<plain>[^#\r\n]*))/gm;

/** The variables of a `.env` file. */
export function parseDotEnv(text: string): Readonly<Record<string, string>> {
  const set = [...text.matchAll(LINE)].map(({ groups = {} }) => {
    const { name = '', double, single, back, plain = '' } = groups;
    return [name, double ?? single ?? back ?? plain.trim()] as const;
  });
  return Object.fromEntries(set);
}
