// Seeded mutations of JSON values and of texts: the same seed always makes the same ones.

/** Random numbers from 0 to below 1 (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Random = () => number;
type Json = Record<string, unknown>;

export function pick<Value>(random: Random, values: readonly Value[]): Value {
  const value = values[Math.floor(random() * values.length)];
  if (value === undefined && values.length === 0) throw new Error('Nothing to pick from');
  return value as Value;
}

/** Values that programs do not expect. */
const JUNK: readonly ((random: Random) => unknown)[] = [
  () => null,
  () => true,
  () => false,
  () => 0,
  () => -1,
  () => 1.5,
  () => 1e308,
  () => '',
  () => 'x',
  () => '\u0000\ud800',
  () => '__proto__',
  () => 'constructor',
  () => [],
  () => [null],
  () => ({}),
  () => ({ type: 'text' }),
  () => ({ type: 'constructor', text: 1 }),
  () => JSON.parse('{"__proto__": {"type": "text"}}') as unknown,
  () => nested(100_000),
  (random) => random() * 1e6,
  (random) => String(random()),
  () => 'a'.repeat(5000),
];

/** An array in an array in an array ... */
export function nested(levels: number): unknown {
  let value: unknown = [];
  for (let level = 1; level < levels; level++) value = [value];
  return value;
}

/** The JSON text of a value; of an empty object if it is nested too deeply for one. */
export function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return '{}';
  }
}

/** A copy of a text, cut off or with another character at a random place. */
export function mutateText(text: string, random: Random): string {
  const at = Math.floor(random() * (text.length + 1));
  const rest = random() < 0.5 ? '' : text.slice(at + 1);
  return text.slice(0, at) + pick(random, ['', '"', '\\', '{', '0', '\n']) + rest;
}

/** A copy of a value with one to four random changes at random places. */
export function mutate(value: unknown, random: Random): unknown {
  let copy = structuredClone(value);
  const count = 1 + Math.floor(random() * 4);
  for (let done = 0; done < count; done++) copy = mutateOnce(copy, random);
  return copy;
}

function mutateOnce(value: unknown, random: Random): unknown {
  const places = placesOf(value, 0);
  if (places.length === 0) return pick(random, JUNK)(random);
  const [parent, key] = pick(random, places);
  const another = parent[pick(random, Object.keys(parent))];
  const action = Math.floor(random() * 4);
  if (action === 0) parent[key] = another;
  else if (action === 1) parent[key] = pick(random, JUNK)(random);
  else if (!Array.isArray(parent)) changeFields(parent, key, action === 2 ? undefined : String(random()));
  else parent.splice(Number(key), 1, ...(action === 2 ? [] : [parent[Number(key)] as unknown, another]));
  return value;
}

/** Removes a field, or copies it to another name. */
function changeFields(parent: Json, key: string, copy: string | undefined): void {
  if (copy === undefined) Reflect.deleteProperty(parent, key);
  else parent[copy] = parent[key];
}

/** All properties in a value, without those that are nested absurdly. */
function placesOf(value: unknown, level: number): [Json, string][] {
  if (typeof value !== 'object' || value === null || level > 20) return [];
  const parent = value as Json;
  return Object.keys(parent).flatMap((key): [Json, string][] => [[parent, key], ...placesOf(parent[key], level + 1)]);
}
