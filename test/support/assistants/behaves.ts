import { nameOf } from './configuration.ts';
import { noteRelease } from './releases.ts';
import { note } from './table.ts';

/** A test of one assistant, with its result in the assistant's row of the table. */
export function behaves(id: string, behaviour: string, body: () => Promise<void>): Mocha.Test {
  const name = nameOf(id);
  return it(`${name} ${behaviour}`, async () => {
    noteRelease(name, id);
    try {
      await body();
    } catch (error) {
      const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
      note(name, 'did', `FAILED: ${reason}`);
      throw error;
    }
  });
}
