// The test vectors of Wycheproof (test/vectors/wycheproof).
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

export interface WycheproofCase {
  readonly tcId: number;
  readonly comment: string;
  readonly result: 'valid' | 'invalid' | 'acceptable';
}

interface WycheproofFile {
  readonly numberOfTests: number;
  readonly testGroups: readonly (object & { readonly tests: readonly WycheproofCase[] })[];
}

/** All cases of a file, with these fields of the case or its group as text: numbers in decimal, bytes in hex. */
export function readWycheproof<Field extends string>(
  name: string,
  ...fields: readonly Field[]
): readonly (WycheproofCase & Readonly<Record<Field, string>>)[] {
  const url = new URL(`../vectors/wycheproof/${name}.json`, import.meta.url);
  const { numberOfTests, testGroups } = JSON.parse(readFileSync(url, 'utf8')) as WycheproofFile;
  const cases = testGroups.flatMap(({ tests, ...group }) =>
    tests.map((test) => {
      const all = { ...group, ...test } as Readonly<Record<string, string | number | undefined>>;
      const texts = fields.map((field) => [field, String(all[field] ?? assert.fail(field))] as const);
      return { ...test, ...(Object.fromEntries(texts) as Record<Field, string>) };
    }),
  );
  assert.equal(cases.length, numberOfTests);
  return cases;
}

/** Checks every case, and fails with the names of those that deviate. */
export function assertCases<Case extends WycheproofCase>(
  cases: readonly Case[],
  count: number,
  passes: (test: Case) => boolean,
): void {
  assert.equal(cases.length, count, 'the number of cases');
  const failed = cases.filter((test) => !passes(test));
  assert.deepEqual(
    failed.map(({ tcId, comment, result }) => `${tcId}: ${comment} (${result})`),
    [],
  );
}
