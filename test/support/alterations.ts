// Every way to alter a JSON value in one place.

export interface Alteration {
  /** What was done, and where: `changed checks.3.examined.signature`. */
  readonly name: string;
  /** The path of the place. */
  readonly path: string;
  readonly value: unknown;
}

/** Each string and number changed, each field and element removed, and one added to each object and array. */
export function alterationsOf(value: unknown): Alteration[] {
  const found: Alteration[] = [];
  const visit = (place: unknown, path: string, replace: (place: unknown) => unknown): void => {
    const alter = (what: string, where: string, altered: unknown) => {
      found.push({ name: `${what} ${where}`, path: where, value: replace(altered) });
    };
    if (typeof place !== 'object' || place === null) {
      alter('changed', path, changed(place));
      return;
    }
    const entries = Object.entries(place);
    const withOut = (name: string) => entries.filter(([other]) => other !== name);
    const build = (from: readonly (readonly [string, unknown])[]) =>
      Array.isArray(place) ? from.map(([, element]) => element) : Object.fromEntries(from);
    alter('added', `${path}.added`, build([...entries, ['added', 'x']]));
    for (const [name, inner] of entries) {
      const where = path === '' ? name : `${path}.${name}`;
      alter('removed', where, build(withOut(name)));
      visit(inner, where, (altered) =>
        replace(build(entries.map(([other, kept]) => [other, other === name ? altered : kept] as const))),
      );
    }
  };
  visit(value, '', (altered) => altered);
  return found;
}

/** Another value of the same form: a digit or letter in the middle of a text becomes the next one. */
export function changed(value: unknown): unknown {
  if (typeof value === 'number') return value + 1;
  if (typeof value !== 'string') return 'x';
  const at = Math.floor(value.length / 2);
  const character = value.charAt(at);
  return `${value.slice(0, at)}${NEXT[character] ?? '0'}${value.slice(at + 1)}`;
}

/** Digits and letters of hex stay in hex. */
const NEXT: Readonly<Record<string, string>> = Object.fromEntries(
  ['0123456789', 'abcdef', 'ghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'].flatMap((set) =>
    Array.from(set, (character, index) => [character, set.charAt((index + 1) % set.length)] as const),
  ),
);
