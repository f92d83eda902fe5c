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
  () => undefined,
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
];

/** An array in an array in an array ... */
export function nested(levels: number): unknown {
  let value: unknown = [];
  for (let level = 1; level < levels; level++) value = [value];
  return value;
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
  const action = Math.floor(random() * 5);
  if (action === 0) delete parent[key];
  else if (action === 1) parent[String(random())] = parent[key];
  else if (action === 2) parent[key] = parent[pick(random, Object.keys(parent))];
  else if (action === 3 && Array.isArray(parent))
    parent.splice(Number(key), 0, structuredCloneOrSame(parent[Number(key)]));
  else parent[key] = pick(random, JUNK)(random);
  return value;
}

/** All properties in a value, without those that are nested absurdly. */
function placesOf(value: unknown, level: number): [Json, string][] {
  if (typeof value !== 'object' || value === null || level > 20) return [];
  const parent = value as Json;
  return Object.keys(parent).flatMap((key): [Json, string][] => [[parent, key], ...placesOf(parent[key], level + 1)]);
}

function structuredCloneOrSame(value: unknown): unknown {
  try {
    return structuredClone(value);
  } catch {
    return value;
  }
}
