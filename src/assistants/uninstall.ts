// Removes what this extension has written to other programs' configurations and to the editor's settings, without the
// editor: for the script that runs after the extension was uninstalled.
import { accessKeyId, isAccessKey } from '../shared/accessKeys.ts';
import { asObject } from '../shared/json.ts';
import { disconnectFile } from './files/configFile.ts';
import { readJson, setValues } from './files/jsonEdit.ts';
import { FILE_ASSISTANTS } from './registry.ts';
import { readRecord } from './uninstallRecord.ts';

/** The settings of llama.vscode, which have our key in them. See adapters/llamaVscode.ts. */
const LLAMA = /^llama-vscode\.(?:endpoint_chat|endpoint_tools|ai_model|api_key_chat|api_key_tools)$/;

/** Resolves to what could not be removed and why, in sentences. */
export async function uninstall(recordPath: string): Promise<readonly string[]> {
  const record = await readRecord(recordPath);
  if (record === undefined) return [];
  const { places, previous, keys, settings, port } = record;
  const isOurs = (key: unknown) => isAccessKey(key) && keys.includes(accessKeyId(key));
  const results = [];
  for (const assistant of FILE_ASSISTANTS)
    results.push(await assistant.disconnect({ places, previous: previous[assistant.id], isOurs }));
  for (const path of settings)
    results.push(await disconnectFile(path, (text) => withoutSettings(text, isOurs, port), false));
  return results.filter((result) => result.kind === 'refused').map(({ message }) => message);
}

/** @param port that the extension wrote, if any: another one is the user's */
function withoutSettings(text: string, isOurs: (key: unknown) => boolean, port?: number): string | undefined {
  const values = asObject(readJson(text, 'jsonc'));
  if (values === undefined) return text; // the editor does not read it either
  const hasKey = Object.entries(values).some(([name, value]) => LLAMA.test(name) && isOurs(value));
  const isWritten = (name: string) =>
    name === 'sealedProxy.baseUrl' || (name === 'sealedProxy.port' && values[name] === port);
  const names = Object.keys(values).filter((name) => isWritten(name) || (hasKey && LLAMA.test(name)));
  const removed = names.map((name) => ({ path: [name], value: undefined }));
  return removed.length === 0 ? text : setValues(text, removed, 'jsonc')?.text;
}
