// The inputs in corpus/: those that reach what no seed reaches, and each one that has found a bug.
import { isUtf8 } from 'node:buffer';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { TargetName } from './target.ts';

interface Entry {
  readonly text?: string;
  /** In place of a text, for other bytes. */
  readonly base64?: string;
  /** What was wrong, for an input that has found a bug. It stays here for ever. */
  readonly found?: string;
}

export interface CorpusInput {
  readonly bytes: Buffer;
  readonly found?: string | undefined;
}

function fileOf(name: TargetName): URL {
  return new URL(`corpus/${name}.json`, import.meta.url);
}

export function readCorpus(name: TargetName): readonly CorpusInput[] {
  if (!existsSync(fileOf(name))) return [];
  const entries = JSON.parse(readFileSync(fileOf(name), 'utf8')) as readonly Entry[];
  return entries.map(({ text, base64 = '', found }) => ({
    bytes: text === undefined ? Buffer.from(base64, 'base64') : Buffer.from(text),
    found,
  }));
}

export function writeCorpus(name: TargetName, inputs: readonly CorpusInput[]): void {
  const entries = inputs.map(({ bytes, found }): Entry => {
    const isText = isUtf8(bytes) && !/[^\P{Cc}\n\r\t]|\ufeff/u.test(bytes.toString());
    const content = isText ? { text: bytes.toString() } : { base64: bytes.toString('base64') };
    return found === undefined ? content : { ...content, found };
  });
  writeFileSync(fileOf(name), `${JSON.stringify(entries, null, 2)}\n`);
}
