// The kinds of values that a setting can have.

/** The error for a value that cannot be used. `shown` is what the message may quote of the value. */
export type Refuse = (allowed: string, shown?: string) => Error;

export const IN_QUOTES = 'the value is in quotes; remove them';

/** True for a value that its writer has put into quotes, which some shells and tools keep. */
export function isQuoted(value: unknown): boolean {
  return typeof value === 'string' && /^(["'`]).*\1$/s.test(value.trim());
}

/** How values are checked and turned into what the code uses. */
export interface Kind<Value, Used = Value> {
  /** JSON Schema, for package.json. */
  readonly json: { readonly type: keyof typeof TYPES } & Readonly<Record<string, unknown>>;
  /** Throws what `refuse` returns if the value cannot be used. The value may also be the text of an environment variable. */
  readonly use: (value: Value, refuse: Refuse) => Used;
}

const NUMBER = { expects: 'it must be a number', matches: (value: unknown) => typeof value === 'number' };

/** By type in JSON Schema: how a value is recognised, and the message for a value of another type. */
export const TYPES = {
  boolean: { expects: 'it must be true or false', matches: (value: unknown) => typeof value === 'boolean' },
  integer: NUMBER,
  number: NUMBER,
  string: { expects: 'it must be a string', matches: (value: unknown) => typeof value === 'string' },
  array: {
    expects: 'it must be a list of strings',
    matches: (value: unknown) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
  },
  object: { expects: 'it must be an object', matches: () => true }, // each field is checked where it is used
};

/** True or false. */
export const toggle: Kind<boolean> = {
  json: { type: 'boolean' },
  use(given: boolean | string, refuse) {
    if (given === true || given === 'true') return true;
    if (given === false || given === 'false') return false;
    throw refuse('it must be true or false', given);
  },
};

/**
 * @param allowed the sentence for a number that cannot be used
 * @param isAllowed false for a number within the limits that cannot be used
 */
export function number(
  json: {
    readonly type: 'integer' | 'number';
    readonly minimum?: number;
    readonly exclusiveMinimum?: number;
    readonly maximum?: number;
  },
  allowed: string,
  isAllowed: (value: number) => boolean = () => true,
): Kind<number> {
  const { type, minimum = -Infinity, exclusiveMinimum = -Infinity, maximum = Infinity } = json;
  const [isOfType, pattern] = type === 'integer' ? [Number.isInteger, /^\d{1,5}$/] : [Number.isFinite, /^\d+(\.\d+)?$/];
  return {
    json,
    use(given: number | string, refuse) {
      const value = typeof given === 'number' || pattern.test(given) ? Number(given) : Number.NaN;
      const isWithin = isOfType(value) && value >= minimum && value > exclusiveMinimum && value <= maximum;
      if (isWithin && isAllowed(value)) return value;
      throw refuse(allowed, String(given));
    },
  };
}

/** A string; space around it does not count. */
export function text<Used>(use: (value: string, refuse: Refuse) => Used): Kind<string, Used> {
  return { json: { type: 'string' }, use: (value, refuse) => use(value.trim(), refuse) };
}

/** One of several words. */
export function choice<const Word extends string>(words: readonly Word[], allowed: string): Kind<string, Word> {
  const { use } = text((value, refuse) => {
    const word = words.find((known) => known === value);
    if (word === undefined) throw refuse(allowed, value);
    return word;
  });
  return { json: { type: 'string', enum: words }, use };
}

/** Strings, one by one or separated by commas. */
export function list<Used>(
  use: (item: string, refuse: Refuse) => Used,
  itemJson: Readonly<Record<string, string>> = {},
): Kind<readonly string[], readonly Used[]> {
  return {
    json: { type: 'array', items: { type: 'string', ...itemJson } },
    use: (value: readonly string[] | string, refuse) =>
      splitList([value].flat().join(',')).map((item) =>
        use(item, (allowed, shown) => {
          return refuse(/[\s;]/.test(item) ? `${allowed}; separate several with commas` : allowed, shown);
        }),
      ),
  };
}

/** The items of a comma-separated text. */
export function splitList(items: string): string[] {
  return items
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
