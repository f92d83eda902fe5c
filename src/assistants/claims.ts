// Versions up to 0.4 stored keys and undo entries without the computer that they belong to. The configurations on this
// computer show which ones are its own: an assistant here has the key, or our entry in the file that can be undone.
import { stat } from 'node:fs/promises';
import { isSameName } from '../keys/accessKeys.ts';
import type { Secrets } from '../keys/secrets.ts';
import type { Applied, Assistant, Places } from './types.ts';
import type { UndoStore } from './undoStore.ts';

export async function claimStored(
  assistants: readonly Assistant[],
  secrets: Pick<Secrets, 'claimableKeys' | 'claimAccessKey'>,
  undo: UndoStore,
  places: Places,
): Promise<void> {
  for (const assistant of assistants) {
    const applied = await undo.getLegacy(assistant.id);
    const isNew = applied !== undefined && (await undo.get(assistant.id)) === undefined;
    if (isNew && (await isMadeHere(assistant, applied, places))) await undo.claimLegacy(assistant, applied);
  }
  const keys = await secrets.claimableKeys();
  for (const { id, key, name } of keys) {
    const assistant = assistants.find((each) => isSameName(each.name, name));
    const state = await assistant?.inspect({ ...places, baseUrl: undefined, key });
    if (state?.kind === 'current') await secrets.claimAccessKey(id);
  }
}

async function isMadeHere(assistant: Assistant, { path }: Applied, places: Places): Promise<boolean> {
  if (assistant.previousValues === undefined) return true; // a configuration in the editor is the same for all its windows
  const { kind } = await assistant.inspect({ ...places, baseUrl: undefined, key: undefined });
  const exists = await stat(path).then(
    () => true,
    () => false,
  );
  return exists && (kind === 'current' || kind === 'outdated');
}
