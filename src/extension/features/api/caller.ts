// Which extension calls the public API. The editor does not say it, so it is read from the call stack, as the editor does
// to attribute errors. It is known only for a call on the same extension host, and code that hides itself is not found.
import { sep } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The part of the editor's `Extension` that is used here. */
export interface InstalledExtension {
  readonly id: string;
  readonly extensionPath: string;
  readonly packageJSON: unknown;
}

/** Frames between the caller and the API are the editor's and ours. */
const FRAMES = 50;

/** The current call stack as text. */
export function callStack(): string {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = FRAMES;
  try {
    return new Error('stack').stack ?? '';
  } finally {
    Error.stackTraceLimit = limit;
  }
}

/**
 * The extension that the nearest frame belongs to, except for our own; undefined if there is none.
 * @param stack as `callStack()` returns it
 * @param own the id of our own extension
 */
export function callerIn(
  stack: string,
  extensions: readonly InstalledExtension[],
  own: string,
): InstalledExtension | undefined {
  for (const frame of stack.split('\n').slice(1)) {
    const found = extensions
      .filter(({ extensionPath }) => isInside(frame, extensionPath))
      .toSorted((one, other) => other.extensionPath.length - one.extensionPath.length); // the innermost folder first
    if (found[0] !== undefined && found[0].id !== own) return found[0];
  }
  return undefined;
}

/** A frame contains a path or, for an ES module, a URL. On Windows, the case of both may differ from the folder's. */
function isInside(frame: string, folder: string): boolean {
  const text = frame.toLowerCase();
  return [folder + sep, `${pathToFileURL(folder).href}/`].some((start) => text.includes(start.toLowerCase()));
}
