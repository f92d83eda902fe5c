// The names of the entries in the secret storage. Several computers may share it, so an entry that belongs to one of them
// has its id (`MachineStore.machineId`) in the name.

export const API_KEY = 'apiKey.current';
export const CACHE_ROOT = 'cacheNamespaceRoot';
export const OWNERSHIP = 'ownership';

const NAME = /^([A-Za-z]+)\.([0-9a-f]{16})\.([^.]+)$/;

/** Of an entry that belongs to one computer. */
export interface EntryName {
  /** `accessKey`, `firstUse` and `lastUse` are the key ring's; `Secrets.entries` has others. */
  readonly kind: string;
  readonly machine: string;
  /** The key's id, or the caller's. */
  readonly id: string;
}

export function nameOf({ kind, machine, id }: EntryName): string {
  return `${kind}.${machine}.${id}`;
}

/** Undefined for the entries that all computers share. */
export function parseName(name: string): EntryName | undefined {
  const [, kind, machine, id] = NAME.exec(name) ?? [];
  return kind === undefined || machine === undefined || id === undefined ? undefined : { kind, machine, id };
}

/** True for two computers with one folder: they share a home folder, or one is a copy of the other. */
export function sharesFolder(one: string, other: string): boolean {
  return one.slice(0, one.length / 2) === other.slice(0, other.length / 2);
}
