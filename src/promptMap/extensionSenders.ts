// The AI extensions of the editor that Sealed Proxy does not configure, as senders. Pure.
import { knownExtension } from './knownExtensions.ts';
import type { Knowledge } from './knownExtensions.ts';
import type { Sender } from './sender.ts';

/** An extension of this editor, as its manifest describes it. */
export interface InstalledExtension {
  /** `publisher.name` */
  readonly id: string;
  /** Any text. */
  readonly name: string;
  /** It is a part of the editor. */
  readonly isBuiltIn: boolean;
  /** Its category is AI or Chat, or it adds a participant to the chat. */
  readonly isForAi: boolean;
  /** It offers models to the editor's chat. */
  readonly offersModels: boolean;
}

/** @param covered the IDs of the extensions that other senders are about */
export function extensionSenders(
  extensions: readonly InstalledExtension[],
  covered: readonly string[],
): readonly Sender[] {
  const skipped = new Set(covered.map((id) => id.toLowerCase()));
  return extensions.flatMap((extension): Sender[] => {
    if (skipped.has(extension.id.toLowerCase())) return [];
    const known = knownExtension(extension.id);
    const said = known === undefined ? unlisted(extension) : statement(known.knowledge);
    if (said === undefined) return [];
    const id = `extension:${extension.id.toLowerCase()}`;
    const page = said.verdict === 'off' ? {} : ({ remedy: { kind: 'extension', id: extension.id } } as const);
    return [{ id, name: known?.name ?? extension.name, group: 'extensions', details: [], ...page, ...said }];
  });
}

type Said = Pick<Sender, 'verdict' | 'sentence' | 'remedy'>;

const UNKNOWN: Said = {
  verdict: 'unknown',
  sentence: 'Sealed Proxy does not know where this extension sends prompts. Check its settings, or disable it.',
};

/** Undefined for what the editor's own senders are about. */
function statement(knowledge: Knowledge): Said | undefined {
  switch (knowledge.kind) {
    case 'chat':
      return undefined;
    case 'goesTo':
      return {
        verdict: 'elsewhere',
        sentence: `Sends prompts to ${knowledge.recipient}. This extension cannot use Sealed Proxy. To stop it, disable it.`,
      };
    case 'ownChoice':
      return {
        verdict: 'unknown',
        sentence:
          'You select its provider in its own settings, which Sealed Proxy cannot read. To use Sealed Proxy there, select ' +
          'an OpenAI-compatible provider, and enter the base URL ("Sealed Proxy: Copy Base URL") and an access key.',
        remedy: { kind: 'command', name: 'newAccessKey' },
      };
    case 'sendsNone':
      return { verdict: 'off', sentence: knowledge.sentence };
    case 'unknown':
      return UNKNOWN;
  }
}

function unlisted({ isForAi, isBuiltIn, offersModels }: InstalledExtension): Said | undefined {
  if (isBuiltIn) return undefined;
  if (offersModels) {
    return {
      verdict: 'depends',
      sentence: "Offers models to VS Code's chat. Only chats for which you select one go there.",
    };
  }
  return isForAi ? UNKNOWN : undefined;
}
