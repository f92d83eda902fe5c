import assert from 'node:assert/strict';
import { makeAccessKey } from '../../../src/keys/accessKeys.ts';
import { usageDocument } from '../../../src/presentation/usageText.ts';
import { DIRECT, UNKNOWN } from '../../../src/shared/usage.ts';
import type { KeyUsage, UsageReport } from '../../../src/shared/usage.ts';

const AT = Date.UTC(2026, 0, 15, 12);
const TIME = new Date(AT).toLocaleString();
const OWN = makeAccessKey('Sealed Proxy', 'own', AT);
const ADA = makeAccessKey("Ada's_notebook", 'user', AT);
const KEYS = [OWN, ADA];

function used(
  caller: string,
  change: Partial<Omit<KeyUsage, 'outcomes'>> & Partial<KeyUsage['outcomes']> = {},
): KeyUsage {
  const { answered = 0, refused = 0, failed = 0, broken = 0, cancelled = 0, ...numbers } = change;
  const outcomes = { answered, refused, failed, broken, cancelled };
  return { caller, outcomes, tokensIn: 0, tokensOut: 0, counted: 0, firstByte: null, lastAt: AT, ...numbers };
}

const report = (...keys: readonly KeyUsage[]): UsageReport => ({ since: AT, keys });
/** The cells of each row of the table, without the header. */
const rows = (usage: UsageReport) =>
  usageDocument(usage, KEYS)
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2)
    .map((line) => line.split(' | ').map((cell) => cell.replaceAll(/^\| | \|$/g, '')));

describe('usageDocument()', () => {
  it('explains that nothing is counted while the proxy is not running', () => {
    assert.match(usageDocument(undefined, KEYS), /^# Usage\n\nThe proxy is not running/);
  });

  it('shows the start of the count before the first request', () => {
    const text = usageDocument(report(), KEYS);
    assert.ok(text.includes(`Since the proxy started at ${TIME}: no requests yet.`), text);
    assert.doesNotMatch(text, /\|/);
  });

  it('shows the names of the access keys, and labels all other callers', () => {
    const callers = [ADA.id, OWN.id, 'f'.repeat(16), DIRECT, UNKNOWN];
    const names = rows(report(...callers.map((caller) => used(caller, { answered: 1 })))).map(([name]) => name);
    const expected = ["Ada's\\_notebook", "VS Code's chat and connection checks", 'Revoked key'];
    assert.match(names[3] ?? '', /^\[API key\]\(https:\S+#api-key\) sent by the client$/);
    assert.deepEqual(names.toSpliced(3, 1), [...expected, 'No valid key', '**Total**']);
  });

  it('shows the numbers of one key in one row, without a total', () => {
    const numbers = { tokensIn: 1234, tokensOut: 5_000_000, counted: 2, firstByte: 1499.6 };
    const usage = used(ADA.id, { answered: 3, refused: 1, broken: 2, cancelled: 4, ...numbers });
    assert.deepEqual(rows(report(usage)), [
      ["Ada's\\_notebook", '10', '1\u00a0refused, 2\u00a0interrupted', '4', '1,234', '5,000,000', '1,500 ms', TIME],
    ]);
    assert.match(usageDocument(report(usage), KEYS), /: 10 requests; token counts are known for 2\./);
  });

  it('says how long requests waited for capacity, if any did', () => {
    const waited = report(used(ADA.id, { waitedMs: 1_200_000 }), used(OWN.id, { waitedMs: 340 }), used(DIRECT));
    assert.match(
      usageDocument(waited, KEYS),
      /^Requests waited 1,200\.3 s in total because the backend had no capacity\.$/m,
    );
    assert.doesNotMatch(usageDocument(report(used(ADA.id)), KEYS), /waited/);
  });

  it('counts the tokens of a response that the client cancelled afterwards', () => {
    const text = usageDocument(report(used(ADA.id, { cancelled: 1, tokensIn: 3, tokensOut: 4, counted: 1 })), KEYS);
    assert.match(text, /: 1 request; token counts are known for 1\./);
  });

  it('shows a dash for tokens that were not reported and a time that was not measured', () => {
    assert.deepEqual(rows(report(used(UNKNOWN, { failed: 1 })))[0]?.slice(1, 7), [
      '1',
      '1\u00a0failed',
      '0',
      '–',
      '–',
      '–',
    ]);
  });

  it('adds up several keys, but not the medians of their times', () => {
    const one = used(ADA.id, { answered: 1, tokensIn: 10, tokensOut: 1, counted: 1, firstByte: 5, lastAt: AT - 1000 });
    const other = used(DIRECT, { answered: 2, failed: 1, tokensIn: 5, tokensOut: 2, counted: 2, firstByte: 7 });
    const all = rows(report(one, other)).at(-1);
    assert.deepEqual(all, ['**Total**', '4', '1\u00a0failed', '0', '15', '3', '–', TIME]);
  });

  it('contains no key and no key ID', () => {
    const text = usageDocument(report(...KEYS.map(({ id }) => used(id, { answered: 1 }))), KEYS);
    for (const { key, id } of KEYS) assert.ok(!text.includes(key) && !text.includes(id), text);
  });
});
