// The names of the entries in the secret storage. Several computers may share it, so an entry that belongs to one of them
// has its id (`MachineStore.machineId`) in the name. Versions up to 0.4 wrote names without it.

export const API_KEY = 'apiKey.current';
/** Up to version 0.4. */
export const LEGACY_API_KEY = 'apiKey';
export const CACHE_ROOT = 'cacheNamespaceRoot';
export const OWNERSHIP = 'ownership';

const MACHINE = '[0-9a-f]{16}';
/** `undo` holds how to undo the change of an assistant's configuration, which may contain keys. */
const KINDS = ['accessKey', 'lastUse', 'undo'] as const;
type Kind = (typeof KINDS)[number];
const NAME = new RegExp(`^(${KINDS.join('|')})\\.(?:(${MACHINE})\\.)?([^.]+)$`);

export interface EntryName {
  readonly kind: Kind;
  /** Undefined for an entry of an earlier version. */
  readonly machine: string | undefined;
  /** The key's id, or the assistant's. */
  readonly id: string;
}

export function nameOf({ kind, machine, id }: EntryName): string {
  return machine === undefined ? `${kind}.${id}` : `${kind}.${machine}.${id}`;
}

/** Undefined for the entries that all computers share. */
export function parseName(name: string): EntryName | undefined {
  const [, kind, machine, id = ''] = NAME.exec(name) ?? [];
  const known = KINDS.find((each) => each === kind);
  return known === undefined ? undefined : { kind: known, machine, id };
}

/** True for two computers with one folder: they share a home folder, or one is a copy of the other. */
export function sharesFolder(one: string, other: string): boolean {
  return one.slice(0, one.length / 2) === other.slice(0, other.length / 2);
}
