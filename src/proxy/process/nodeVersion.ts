import { compareVersions } from '../../shared/version.ts';

/**
 * The first version of each line of Node with the fixes of the security release of 2026-10-21, among them of the check of host
 * names in TLS and of Brotli: https://nodejs.org/en/blog/vulnerability/october-2026-security-releases. It says nothing about
 * other lines.
 */
export const FIXED_NODES = ['22.23.4', '24.22.1', '26.12.1'] as const;

type Versions = Readonly<Record<string, string | undefined>> & { readonly node: string };

/**
 * What a user must know about the Node of this process, in sentences; undefined if nothing is known against it.
 * @param versions as `process.versions`. Electron is not judged, because it brings fixes of its own.
 */
export function nodeWarning(versions: Versions): string | undefined {
  if (versions['electron'] !== undefined) return undefined;
  const fixed = FIXED_NODES.find((version) => lineOf(version) === lineOf(versions.node));
  if (fixed === undefined || compareVersions(versions.node, fixed) >= 0) return undefined;
  const cause = `Node ${versions.node} has known security flaws in TLS and Brotli.`;
  return `${cause} Update to Node ${fixed} or later; if this Node is part of an editor, update the editor.`;
}

function lineOf(version: string): string | undefined {
  return version.split('.')[0];
}
