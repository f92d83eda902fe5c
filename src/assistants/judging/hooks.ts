// Hooks that post what an assistant does, such as the prompts, to an address. A hook that is a command runs a program of
// the user, which is not judged.
import { join } from 'node:path';
import { asObject, fieldsOf } from '../../shared/json.ts';
import type { ConfigReader, Layer } from './configReader.ts';
import type { Route } from './judgement.ts';
import { addressOf, elsewhere, inFile } from './routes.ts';

/** Of files whose object `hooks` has a list of hooks for each event: the files add to each other. */
export function hookRoutes(layers: readonly Layer[]): readonly Route[] {
  return layers.flatMap(({ path, value }) =>
    Object.entries(fieldsOf(value['hooks'])).flatMap(([event, hooks]) =>
      addressesIn(hooks).map((url) => elsewhere(`The hook "${event}"`, addressOf(url), inFile(path, `hooks.${event}`))),
    ),
  );
}

/**
 * The hooks at the beginning of the Markdown files of agents, commands and skills.
 * @param folders those that have the folders of these, such as `.claude`
 */
export async function markdownHookRoutes(reader: ConfigReader, folders: readonly string[]): Promise<readonly Route[]> {
  const routes: Route[] = [];
  for (const folder of new Set(folders)) {
    const paths = [
      ...(await reader.list(join(folder, 'agents'), '.md')),
      ...(await reader.list(join(folder, 'commands'), '.md')),
      ...(await reader.list(join(folder, 'skills'), 'SKILL.md', 1)),
    ];
    routes.push(...hookRoutes(await reader.heads(paths)));
  }
  return routes;
}

/** They may be in groups, each for other tools. */
function addressesIn(hooks: unknown): readonly unknown[] {
  if (Array.isArray(hooks)) return hooks.flatMap(addressesIn);
  const fields = asObject(hooks);
  if (fields === undefined) return [];
  const { type, url = '' } = fields;
  return type === 'http' ? [url] : Object.values(fields).flatMap(addressesIn);
}
