// What surrounds an assistant and decides, beside its own files, where its prompts go.

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Surroundings {
  /** The variables of the editor, which its extensions and what they start inherit. */
  readonly editor: Environment;
  /** The variables of a shell in the editor's terminal: those of the editor, changed by `terminal.integrated.env.*`. */
  readonly terminal: Environment;
  /** Absolute paths of the folders that are open in the editor. */
  readonly folders: readonly string[];
  /** The folder below which the files of an organization are: `/`, or another one in tests. */
  readonly system: string;
  readonly platform: NodeJS.Platform;
  /** The value of one of the editor's settings; undefined if it is not set. */
  readonly setting: (key: string) => unknown;
}

/** Those of this process, without an editor. */
export function ownSurroundings(): Surroundings {
  const { env, platform } = process;
  return { editor: env, terminal: env, folders: [], system: '/', platform, setting: () => undefined };
}
