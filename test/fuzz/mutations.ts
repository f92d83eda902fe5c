// Changes of inputs that know nothing of their form.
import { mutateBytes } from '../support/certificateMutations.ts';
import { pick } from '../support/mutations.ts';
import type { Random } from './target.ts';

export interface Material {
  /** Texts that the code knows. */
  readonly words: readonly string[];
  readonly others: readonly Buffer[];
}

type Change = (input: Buffer, random: Random, material: Material) => Uint8Array;

const REPEATS = 1000;

const CHANGES: readonly Change[] = [
  mutateBytes,
  mutateBytes,
  mutateBytes,
  insertWord,
  insertWord,
  replaceByWord,
  removePart,
  changeDigits,
  splice,
  splice,
  repeatPart,
];

/** One to eight changes. */
export function change(input: Buffer, random: Random, material: Material, maxLength: number): Buffer {
  let changed = input;
  const count = 2 ** Math.floor(random() * 4);
  for (let done = 0; done < count; done++) {
    changed = Buffer.from(pick(random, CHANGES)(changed, random, material).slice(0, maxLength));
  }
  return changed;
}

function insertWord(input: Buffer, random: Random, { words }: Material): Uint8Array {
  const at = below(random, input.length + 1);
  return Buffer.concat([input.subarray(0, at), wordOf(words, random), input.subarray(at)]);
}

function replaceByWord(input: Buffer, random: Random, { words }: Material): Uint8Array {
  const [start, end] = rangeOf(input, random);
  return Buffer.concat([input.subarray(0, start), wordOf(words, random), input.subarray(end)]);
}

function wordOf(words: readonly string[], random: Random): Buffer {
  const word = words.length === 0 ? '' : pick(random, words);
  return Buffer.from(random() < 0.2 ? JSON.stringify(word) : word);
}

function removePart(input: Buffer, random: Random): Uint8Array {
  const [start, end] = rangeOf(input, random);
  return Buffer.concat([input.subarray(0, start), input.subarray(end)]);
}

function changeDigits(input: Buffer, random: Random): Uint8Array {
  const digits = [...input.toString('latin1').matchAll(/\d+/g)];
  if (digits.length === 0) return input;
  const { 0: digit, index } = pick(random, digits);
  const number = pick(random, ['0', '-1', '1', '255', '65536', '2147483648', '9007199254740993', '1e400', `${digit}0`]);
  return Buffer.concat([input.subarray(0, index), Buffer.from(number), input.subarray(index + digit.length)]);
}

/** The beginning of this input and the end of another one. */
function splice(input: Buffer, random: Random, { others }: Material): Uint8Array {
  const other = others.length === 0 ? input : pick(random, others);
  return Buffer.concat([
    input.subarray(0, below(random, input.length + 1)),
    other.subarray(below(random, other.length + 1)),
  ]);
}

/** What takes more time than in proportion to the length shows it then. */
function repeatPart(input: Buffer, random: Random): Uint8Array {
  const [start, end] = rangeOf(input, random);
  const count = random() < 0.9 ? 1 + below(random, 4) : below(random, REPEATS);
  const part = input.subarray(start, end);
  return Buffer.concat([input.subarray(0, end), ...Array<Buffer>(count).fill(part), input.subarray(end)]);
}

function rangeOf(input: Buffer, random: Random): readonly [number, number] {
  const start = below(random, input.length + 1);
  const longest = random() < 0.5 ? 8 : input.length;
  return [start, Math.min(input.length, start + below(random, longest + 1))];
}

function below(random: Random, limit: number): number {
  return Math.floor(random() * limit);
}
