// Assistants of the command line that Sealed Proxy cannot configure: they get a line to copy, or nothing.
import { join } from 'node:path';
import { exists, hasCommand } from '../assistants/files/commandSearch.ts';
import type { CommandPlaces } from '../assistants/files/commandSearch.ts';
import { SNIPPETS } from '../assistants/snippets.ts';
import type { Sender } from './sender.ts';

interface Program {
  /** The snippet's, if there is one. */
  readonly id: string;
  readonly name: string;
  /** What shows that it is here, both if both are given: others have a command or a folder of this name. */
  readonly command?: string;
  /** In the home folder. */
  readonly folder?: string;
  /** Where prompts go unless the user configures another provider; undefined if there is no default. */
  readonly recipient?: string;
}

const PROGRAMS: readonly Program[] = [
  { id: 'copilot-cli', name: 'Copilot CLI', command: 'copilot', folder: '.copilot', recipient: 'GitHub' },
  { id: 'aider', name: 'Aider', command: 'aider' },
  { id: 'goose', name: 'Goose', folder: '.config/goose' },
  { id: 'gemini-cli', name: 'Gemini CLI', command: 'gemini', recipient: 'Google' },
  { id: 'amp', name: 'Amp', command: 'amp', recipient: 'ampcode.com' },
];

/** The ids of the programs that seem to be installed on this computer. */
export async function findPrograms(places: CommandPlaces): Promise<readonly string[]> {
  const found = await Promise.all(
    PROGRAMS.map(async ({ command, folder }) => {
      const hasFolder = folder === undefined || (await exists(join(places.home, folder)));
      return command === undefined || !hasFolder ? hasFolder : hasCommand(command, places);
    }),
  );
  return PROGRAMS.filter((_, index) => found[index] === true).map(({ id }) => id);
}

/**
 * @param found the ids of the programs on this computer
 * @param keyNames the names of the access keys for assistants: a program that has one got a line to copy
 */
export function programSenders(found: readonly string[], keyNames: readonly string[]): readonly Sender[] {
  return PROGRAMS.flatMap((program): Sender[] => {
    const hasKey = keyNames.includes(program.name);
    if (!hasKey && !found.includes(program.id)) return [];
    const canCopy = SNIPPETS.some(({ id }) => id === program.id);
    return [
      {
        id: `program:${program.id}`,
        name: program.name,
        group: 'commandLine',
        ...statement(program, hasKey, canCopy),
        details: [],
        ...(canCopy ? { remedy: { kind: 'command', name: 'connectAssistant' } } : {}),
      },
    ];
  });
}

function statement({ recipient }: Program, hasKey: boolean, canCopy: boolean): Pick<Sender, 'verdict' | 'sentence'> {
  if (hasKey) {
    const unless = recipient === undefined ? '' : ` Without it, prompts go to ${recipient}.`;
    const sentence = `You copied a configuration for it. Sealed Proxy cannot see whether it is used.${unless}`;
    return { verdict: 'unknown', sentence };
  }
  if (recipient === undefined) {
    const sentence = 'You select its provider in it, and Sealed Proxy cannot read the choice. It can use Sealed Proxy.';
    return { verdict: 'unknown', sentence };
  }
  if (!canCopy) return { verdict: 'elsewhere', sentence: `Prompts go to ${recipient}. It cannot use Sealed Proxy.` };
  const sentence = `Prompts go to ${recipient}, unless you start it with the line that you can copy here.`;
  return { verdict: 'elsewhere', sentence };
}
