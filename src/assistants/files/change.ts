// A change to a configuration: how it is shown, made and undone.

/** What the user sees before agreeing. No text in it contains a key. */
export interface Preview {
  readonly path: string;
  readonly exists: boolean;
  readonly before: string;
  readonly after: string;
  /** One line for each value that changes, then for the permissions of the file if they change. */
  readonly changes: readonly string[];
  /** What becomes of the permissions, which the two texts do not show. */
  readonly permissions?: string | undefined;
}

/** A change that has not been made yet. Only `preview` may be shown. */
export interface Change {
  readonly kind: 'change';
  /** The file to write; for a symbolic link, its target. */
  readonly path: string;
  /** The complete text of the file; undefined if it does not exist. */
  readonly before: string | undefined;
  readonly after: string;
  /** The permissions of the file if other users have some: it holds a key from now on, so they lose them. */
  readonly mode?: number | undefined;
  readonly preview: Preview;
}

/** `message` is for the user, in sentences. */
export interface Refused {
  readonly kind: 'refused';
  readonly message: string;
  /** The file that the user has to change. */
  readonly file?: string;
}

export interface Unchanged {
  readonly kind: 'unchanged';
}

export type Plan = Change | Unchanged | Refused;

/** A change that was made, with everything needed to undo it. It holds complete files, so keep it secret. */
export interface Applied extends Pick<Change, 'path' | 'before' | 'after' | 'mode'> {
  readonly kind: 'applied';
  /** The outermost folder that was created for the file. */
  readonly madeFolder?: string | undefined;
  /** See `Assistant.writtenValues`, if `after` does not have them. */
  readonly written?: string | undefined;
  /** Another program wrote to the file between two of our changes, so `before` must not be restored as it is. */
  readonly mixed?: boolean;
}

export interface Undone {
  readonly kind: 'undone';
  /** For the user, in a sentence: what differs from before the change. */
  readonly left?: string;
}

export function refused(message: string, file?: string): Refused {
  return { kind: 'refused', message, ...(file !== undefined && { file }) };
}
