// Changes JSON values at random, the same way for the same seed.

/** Values that a reader may not expect. */
const VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  '',
  'x',
  '__proto__',
  'constructor',
  '\ud800',
  'a'.repeat(5000),
  [],
  [null],
  {},
  { type: 'x' },
  { text: 7 },
];

export class Mutator {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** A copy of the value with this many changes. */
  mutate(value: unknown, changes: number): unknown {
    let copy = structuredClone(value);
    for (let count = 0; count < changes; count++) copy = this.#change(copy);
    return copy;
  }

  /** The text, cut off or with another character. */
  mutateText(text: string, isChanged: boolean): string {
    if (!isChanged) return text;
    const position = this.#next(text.length + 1);
    const rest = this.#next(2) === 0 ? '' : text.slice(position + 1);
    return text.slice(0, position) + (['', '"', '\\', '{', '0', '\n'][this.#next(6)] ?? '') + rest;
  }

  /** Changes one value: itself, or one that it contains. */
  #change(value: unknown): unknown {
    if (typeof value !== 'object' || value === null || this.#next(4) === 0) return this.#other(value);
    const container = value as Record<string, unknown>; // or an array
    const keys = Object.keys(container);
    const key = keys[this.#next(keys.length)];
    if (key === undefined) return this.#other(value);
    switch (this.#next(12)) {
      case 0:
        if (Array.isArray(value)) value.splice(Number(key), 1);
        else Reflect.deleteProperty(container, key);
        break;
      case 1:
        if (Array.isArray(value)) value.push(structuredClone(value[Number(key)]));
        else container[`${key}_`] = container[key];
        break;
      case 2:
        if (Array.isArray(value)) value.reverse();
        else container[keys[this.#next(keys.length)] ?? key] = container[key];
        break;
      default:
        container[key] = this.#change(container[key]);
    }
    return container;
  }

  #other(value: unknown): unknown {
    if (typeof value === 'string' && this.#next(2) === 0) return this.mutateText(value, true);
    return structuredClone(VALUES[this.#next(VALUES.length)]);
  }

  /** A random integer below the limit (mulberry32). */
  #next(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let bits = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return Math.floor((((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32) * limit);
  }
}
