// Configures assistants with the product's own code.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { AssistantEndpoint } from '../../../src/assistants/adapters/assistant.ts';
import { FILE_ASSISTANTS } from '../../../src/assistants/registry.ts';
import { SNIPPETS } from '../../../src/assistants/snippets.ts';
import type { DialectName } from '../../../src/dialects/dialect.ts';
import type { Bench } from './bench.ts';

/** The assistant's name. */
export function nameOf(id: string): string {
  const found = [...FILE_ASSISTANTS, ...SNIPPETS].find((entry) => entry.id === id);
  assert.ok(found, `there is no assistant ${id}`);
  return found.name;
}

/** The API that the assistant speaks, if it is not Chat Completions. */
export function dialectOf(id: string): DialectName | undefined {
  return [...FILE_ASSISTANTS, ...SNIPPETS].find((entry) => entry.id === id)?.dialect;
}

/** The assistant's own file. */
export interface Written {
  /** Relative to the home folder. */
  readonly path: string;
  /** Undoes the change and asserts that nothing of it is left. Returns whether the file was edited since. */
  readonly undo: () => Promise<boolean>;
}

/** Writes the assistant's own file, if it has one. */
export async function writeFile(id: string, endpoint: AssistantEndpoint): Promise<Written | undefined> {
  const assistant = FILE_ASSISTANTS.find((entry) => entry.id === id);
  if (assistant === undefined) return undefined;
  const plan = await assistant.plan(endpoint);
  assert.equal(plan.kind, 'change');
  const applied = await assistant.apply(plan);
  assert.equal(applied.kind, 'applied');
  const { home, baseUrl, key, model } = endpoint;
  assert.deepEqual(await assistant.inspect({ home, baseUrl, key }), { kind: 'current', model: model.id });
  const undo = async () => {
    const undone = await assistant.undo(applied);
    assert.ok(undone.kind === 'undone', JSON.stringify(undone));
    const rest = existsSync(applied.path) ? readFileSync(applied.path, 'utf8') : '';
    assert.doesNotMatch(rest, /sealed/i);
    assert.equal(undone.left === undefined, rest === '');
    return undone.left !== undefined;
  };
  return { path: relative(home, applied.path), undo };
}

/** The text that a user copies. */
export function snippetOf(id: string, endpoint: AssistantEndpoint): string {
  const snippet = SNIPPETS.find((entry) => entry.id === id);
  assert.ok(snippet, `there is no snippet ${id}`);
  return snippet.render(endpoint, 'posix');
}

/** A shell script that runs a snippet with the arguments of the script. */
export function shellScript(id: string, { home, endpoint }: Bench): string {
  const path = join(home, 'snippet.sh');
  writeFileSync(path, `${snippetOf(id, endpoint)} "$@"\n`);
  return path;
}

/** A module in the project that can import the packages in `modules`. */
export function moduleIn({ project }: Bench, name: string, text: string, modules: string): string {
  const link = join(project, 'node_modules');
  symlinkSync(modules, link, 'dir');
  const path = join(dirname(link), name);
  writeFileSync(path, text);
  return path;
}
