// The formats of configuration files whose values are set one by one.
import { readJson, setValues } from './jsonEdit.ts';
import type { Dialect, Edited, Setting } from './jsonEdit.ts';
import { readToml, setTomlValues, writeToml } from './tomlEdit.ts';

export interface ConfigFormat {
  /** The value of a text, `{}` for an empty one; undefined if it does not parse. */
  read(text: string): unknown;
  /** The text with these values; every other byte stays. Undefined if they cannot be set. */
  set(text: string, settings: readonly Setting[]): Edited | undefined;
  /** A text with these values and nothing else. */
  write(values: object): string;
}

export function jsonFormat(dialect: Dialect): ConfigFormat {
  return {
    read: (text) => readJson(text, dialect),
    set: (text, settings) => setValues(text, settings, dialect),
    write: (values) => JSON.stringify(values),
  };
}

export const toml: ConfigFormat = { read: readToml, set: setTomlValues, write: writeToml };
