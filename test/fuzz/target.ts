// What is fuzzed: a parser or a writer, and what must hold for every input.

export type Random = () => number;

export interface FuzzTarget {
  /** Inputs as users and backends send them. */
  readonly seeds: () => readonly (string | Uint8Array)[];
  /** Throws if something is wrong with what the code makes of the input. What it may refuse, it refuses silently. */
  readonly run: (input: Buffer) => void | Promise<void>;
  /** Changes that know the form of an input. Changes of bytes are always made. */
  readonly mutate?: (input: Buffer, random: Random) => string | Uint8Array;
  /** In bytes. */
  readonly maxLength?: number;
  /** Ends what the target has started. */
  readonly close?: () => Promise<void>;
}

/** The names of the files in targets/. */
export const TARGETS = [
  'cbor',
  'document',
  'certificate',
  'evidence',
  'records',
  'json',
  'events',
  'settings',
  'http',
  'messagesRequest',
  'messagesReply',
  'responsesRequest',
  'responsesReply',
  'assistantFiles',
] as const;
export type TargetName = (typeof TARGETS)[number];

export async function loadTarget(name: TargetName): Promise<FuzzTarget> {
  const { target } = (await import(`./targets/${name}.ts`)) as { target: FuzzTarget };
  return target;
}
