// The kinds of values that a setting can have.

/** The error for a value that cannot be used. `shown` is what the message may quote of the value. */
export type Refuse = (allowed: string, shown?: string) => Error;

/** How values are recognised, checked and turned into what the code uses. */
export interface Kind<Value, Used = Value> {
  /** JSON Schema, for package.json. */
  readonly json: { readonly type: string } & Readonly<Record<string, unknown>>;
  /** The message for a value of another type. */
  readonly expects: string;
  readonly isType: (value: unknown) => value is Value;
  /** Throws what `refuse` returns if the value cannot be used. */
  readonly use: (value: Value, refuse: Refuse) => Used;
}

export interface Limits {
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
}

export const toggle: Kind<boolean> = {
  json: { type: 'boolean' },
  expects: 'it takes true or false',
  isType: (value) => typeof value === 'boolean',
  use: (value) => value,
};

/**
 * @param allowed the sentence for a number that cannot be used
 * @param convert the number as the code uses it; undefined if it cannot be used, although it is within the limits
 */
export function number(
  type: 'integer' | 'number',
  limits: Limits,
  allowed: string,
  convert: (value: number) => number | undefined = (value) => value,
): Kind<number> {
  const { minimum = -Infinity, exclusiveMinimum = -Infinity, maximum = Infinity } = limits;
  return {
    json: { type, ...limits },
    expects: 'it takes a number',
    isType: (value) => typeof value === 'number',
    use(value, refuse) {
      const isOfType = type === 'integer' ? Number.isInteger(value) : Number.isFinite(value);
      const isWithin = isOfType && value >= minimum && value > exclusiveMinimum && value <= maximum;
      const used = isWithin ? convert(value) : undefined;
      if (used === undefined) throw refuse(allowed, String(value));
      return used;
    },
  };
}

/** A string; space around it does not count. */
export function text<Used>(use: (value: string, refuse: Refuse) => Used): Kind<string, Used> {
  return {
    json: { type: 'string' },
    expects: 'it takes a string',
    isType: (value) => typeof value === 'string',
    use: (value, refuse) => use(value.trim(), refuse),
  };
}

/** One of several words. */
export function choice<const Word extends string>(words: readonly Word[], allowed: string): Kind<string, Word> {
  const kind = text((value, refuse) => {
    const word = words.find((known) => known === value);
    if (word === undefined) throw refuse(allowed, value);
    return word;
  });
  return { ...kind, json: { type: 'string', enum: words } };
}

/** Strings, one by one or separated by commas. */
export function list<Used>(
  use: (item: string, refuse: Refuse) => Used,
  itemJson: Readonly<Record<string, string>> = {},
): Kind<readonly string[], readonly Used[]> {
  return {
    json: { type: 'array', items: { type: 'string', ...itemJson } },
    expects: 'it takes a list of strings',
    isType: (value): value is readonly string[] =>
      Array.isArray(value) && value.every((item) => typeof item === 'string'),
    use: (value, refuse) => value.flatMap(splitList).map((item) => use(item, refuse)),
  };
}

/** The items of a comma-separated text. */
export function splitList(items: string): string[] {
  return items
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
