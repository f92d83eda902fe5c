// Removes everything that the extension has stored or written, one step after the other. A step that fails does not stop
// the others.
import type { Leftover } from '../assistants/disconnectAll.ts';

export interface RemovalStep {
  /** What is removed, to name it if the step fails. */
  readonly name: string;
  /** One line of the confirmation. */
  readonly description: () => Promise<string>;
  /** Resolves to what could not be removed. */
  readonly run: () => Promise<readonly Leftover[]>;
}

/** The lines of the confirmation. */
export async function describeRemoval(steps: readonly RemovalStep[]): Promise<readonly string[]> {
  return Promise.all(steps.map(({ description }) => description()));
}

export async function runRemoval(steps: readonly RemovalStep[]): Promise<readonly Leftover[]> {
  const leftovers: Leftover[] = [];
  for (const { name, run } of steps) {
    try {
      leftovers.push(...(await run()));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      leftovers.push({ where: name, message: `${reason} Run "Sealed Proxy: Disconnect and Remove Everything" again.` });
    }
  }
  return leftovers;
}

/** The document that lists what could not be removed. */
export function leftoversDocument(leftovers: readonly Leftover[]): string {
  const lines = leftovers.map(({ where, message }) => `- **${where}**: ${message}`);
  return ['# What Remains of Sealed Proxy', '', 'Everything else was removed.', '', ...lines, ''].join('\n');
}
