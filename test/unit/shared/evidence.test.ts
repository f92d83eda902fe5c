import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import Ajv from 'ajv';
import { EVIDENCE_VERSION } from '../../../src/shared/checks.ts';
import { findFormatError, parseEvidence } from '../../../src/shared/evidence.ts';
import type { Evidence } from '../../../src/shared/evidence.ts';
import { alterationsOf } from '../../support/alterations.ts';
import { fromRoot } from '../../support/e2e/process.ts';
import { EVIDENCE_FOLDER } from '../../support/evidenceFixtures.ts';

const EXAMPLES = readdirSync(EVIDENCE_FOLDER).filter((name) => name.endsWith('.json'));
const SCHEMA = JSON.parse(readFileSync(fromRoot('docs/evidence.schema.json'), 'utf8')) as object;

function read(name: string): Evidence {
  return JSON.parse(readFileSync(new URL(name, EVIDENCE_FOLDER), 'utf8')) as Evidence;
}

const VALID = read('history.json');

/** Changes of the example, and the field that they make wrong. */
const WRONG: readonly (readonly [field: string, value: unknown])[] = [
  ...['sealed-proxy', 'SEALED-PROXY-EVIDENCE', null, 1].map((value) => ['format', value] as const),
  ...[EVIDENCE_VERSION + 1, String(EVIDENCE_VERSION), 1.5, null].map((value) => ['formatVersion', value] as const),
  ...['', '1.0 \u001b[31m', 'x'.repeat(65), 1].map((value) => ['version', value] as const),
  ...['http://enclave.example', 'https://', 'https://a b', `https://${'x'.repeat(2001)}`, 'javascript:1', null].map(
    (value) => ['backend', value] as const,
  ),
  ...['2026-01-15T12:00:00Z', '2026-01-15', '2026-01-15T12:00:00.000+01:00', 1768478400000, ''].map(
    (value) => ['verifiedAt', value] as const,
  ),
  ...['Production', 'test', null].map((value) => ['environment', value] as const),
  ...['', 'AAAA', `${'A'.repeat(42)}B=`, 'A'.repeat(43), ` ${'A'.repeat(43)}=`, null].flatMap((value) =>
    ['challenge', 'clientPublicKey'].map((field) => [field, value] as const),
  ),
  ...['', 'AAAA', 1].map((value) => ['serverPublicKey', value] as const),
  ...['AAA', 'AA\nAA', 'AB==', 'AAB=', 'A'.repeat(87_388), null].map(
    (value) => ['attestationDocument', value] as const,
  ),
  ...['AB'.repeat(48), 'ab'.repeat(47), '', 0].map((value) => ['pcr0', value] as const),
  ...[
    {},
    { by: 'me' },
    { by: 'history' },
    { by: 'pin', url: 'https://a' },
    { ...VALID.approval, timestamp: 1.5 },
    { ...VALID.approval, timestamp: '1' },
    { ...VALID.approval, signature: 'AAAA' },
    { ...VALID.approval, pcr1: null },
    { ...VALID.approval, url: 'file:///' },
    'pin',
  ].map((value) => ['approval', value] as const),
  ...[
    [],
    VALID.checks.slice(1),
    VALID.checks.toReversed(),
    [...VALID.checks, VALID.checks[0]],
    {},
    VALID.checks.with(0, { ...VALID.checks[0], error: 'x' } as never),
    VALID.checks.with(0, { ...VALID.checks[0], result: 'fail' } as never),
    VALID.checks.with(0, { ...VALID.checks[0], result: 'fail', error: 'Not a code' } as never),
    VALID.checks.with(0, { ...VALID.checks[0], result: 'ok' } as never),
    VALID.checks.with(0, { ...VALID.checks[0], examined: [] } as never),
    ...['', '1', 'a-b', 'é', 'x'.repeat(65)].map((name) =>
      VALID.checks.with(0, { ...VALID.checks[0], examined: { [name]: 'x' } } as never),
    ),
    VALID.checks.with(0, { ...VALID.checks[0], examined: { sha256: 1 } } as never),
    VALID.checks.with(0, { ...VALID.checks[0], examined: { '10': 'x' } } as never),
    VALID.checks.with(0, { ...VALID.checks[0], examined: { sha256: ['a', ['b']] } } as never),
  ].map((value) => ['checks', value] as const),
  ...['', 'AB'.repeat(32), null].map((value) => ['digest', value] as const),
  ['added', 1],
  ['__proto__ ', 1],
];

describe('findFormatError()', () => {
  it('finds nothing wrong with the examples', () => {
    assert.ok(EXAMPLES.length > 5);
    for (const name of EXAMPLES) assert.equal(findFormatError(read(name)), undefined, name);
  });

  it('names the field that is wrong', () => {
    for (const [field, value] of WRONG) {
      assert.equal(findFormatError({ ...VALID, [field]: value }), field, `${field}: ${JSON.stringify(value)}`);
    }
  });

  it('names the field that is missing', () => {
    for (const field of Object.keys(VALID)) {
      assert.equal(findFormatError({ ...VALID, [field]: undefined }), field);
      assert.equal(
        findFormatError(Object.fromEntries(Object.entries(VALID).filter(([name]) => name !== field))),
        field,
      );
    }
  });

  it('rejects what only the text of a program can tell apart: times and Unicode that do not exist', () => {
    for (const time of ['2026-02-30T12:00:00', '2026-01-15T24:00:00', '2026-01-15T23:59:60', '0000-01-15T12:00:00']) {
      assert.equal(findFormatError({ ...VALID, verifiedAt: `${time}.000Z` }), 'verifiedAt', time);
    }
    const [first, ...rest] = VALID.checks;
    const checks = [{ ...first, examined: { sha256: '\ud800' } }, ...rest];
    assert.equal(findFormatError({ ...VALID, checks }), 'checks');
  });

  it('agrees with the JSON schema in the documentation', () => {
    const isValid = new Ajv({ format: false }).compile(SCHEMA);
    for (const name of EXAMPLES) assert.equal(isValid(read(name)), true, name);
    for (const [field, value] of WRONG) {
      assert.equal(isValid({ ...VALID, [field]: value }), false, `${field}: ${JSON.stringify(value)}`);
    }
    for (const { name, value } of alterationsOf(VALID)) {
      assert.equal(isValid(value), findFormatError(value) === undefined, name);
    }
  });
});

describe('parseEvidence()', () => {
  it('takes evidence, and nothing else', () => {
    assert.equal(parseEvidence(VALID), VALID);
    for (const value of [null, undefined, [], 'x', 1, {}, { status: 'ok', service: 'sealed-proxy' }]) {
      assert.equal(parseEvidence(value), undefined);
    }
  });
});
