import { sentence } from '../presentation/text.ts';
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
): Promise<readonly Leftover[]> {
  const leftovers: Leftover[] = [];
  for (const assistant of assistants) {
    const where = assistant.name;
    try {
      const applied = await undo.get(assistant.id);
      const result = await assistant.disconnect({ places, applied, isOurs: () => true });
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
