import type { AccessKey } from '../keys/accessKeys.ts';
import { sentence } from '../presentation/text.ts';
import { ACCESS_KEYS, accessKeyId } from '../shared/accessKeys.ts';
import { disguiseKeys } from './files/entryRemoval.ts';
import type { Assistant, Places } from './types.ts';
import type { UndoStore } from './undoStore.ts';

/** Something that could not be removed. */
export interface Leftover {
  /** A path, or the name of what contains it. */
  readonly where: string;
  /** For the user, in sentences: the reason, and what to do. */
  readonly message: string;
}

/** Removes our entry from the configuration of every assistant, also where the undo data does not suffice. */
export async function disconnectAll(
  assistants: readonly Assistant[],
  undo: UndoStore,
  places: Places,
  keys: readonly Pick<AccessKey, 'id'>[],
): Promise<readonly Leftover[]> {
  const leftovers: Leftover[] = [];
  for (const assistant of assistants) {
    const where = assistant.name;
    try {
      const applied = await undo.get(assistant.id);
      // Another editor on this computer may have written an entry with a key of its own.
      const known =
        applied === undefined || applied.mixed === true ? [] : (disguiseKeys(applied.after).match(ACCESS_KEYS) ?? []);
      const digests = [...known, ...((applied?.written ?? '').match(ACCESS_KEYS) ?? [])];
      const isOurs = (key: string) =>
        keys.some(({ id }) => id === accessKeyId(key)) || digests.includes(disguiseKeys(key));
      const result = await assistant.disconnect({ places, applied, isOurs });
      if (result.kind === 'refused') leftovers.push({ where, message: result.message });
    } catch (error) {
      leftovers.push({
        where,
        message: `Its configuration could not be changed. ${sentence(String(error))} Run this command again.`,
      });
    }
  }
  return leftovers;
}
