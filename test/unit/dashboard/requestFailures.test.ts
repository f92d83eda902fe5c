import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { failureOf, titleOf } from '../../../src/dashboard/requestFailures.ts';
import { PROXY_ERRORS } from '../../../src/proxy/http/openaiErrors.ts';
import type { ClientError } from '../../../src/proxy/http/openaiErrors.ts';
import type { RequestRecord } from '../../../src/shared/activity.ts';
import { assertApproved } from '../../support/approved.ts';
import { fromRoot } from '../../support/e2e/process.ts';
import { requestRecord } from '../../support/requestRecords.ts';

/** The codes and details in the table of docs/troubleshooting.md; `record_*` stands for `record_x`. */
function documentedCodes(): { end: string; detail: string | null }[] {
  const [, section = ''] = readFileSync(fromRoot('docs/troubleshooting.md'), 'utf8').split('## Codes in the log');
  const cells = Array.from(section.matchAll(/^\| (`[^|]*)\|/gm), ([, cell = '']) => cell);
  return cells.flatMap((cell) => {
    const names = Array.from(cell.matchAll(/`([\w*]+)`/g), ([, name = '']) => name.replace('*', 'x'));
    const isDetail = (name: string) => /^(proxy_|[A-Z]|pcr0_not_approved$|clock$)/.test(name);
    const details = names.filter(isDetail);
    const ends = names.filter((name) => !isDetail(name));
    return ends.flatMap((end) => (details.length === 0 ? [null] : details).map((detail) => ({ end, detail })));
  });
}

const CODES = ['upload_timeout', 'body_too_large', 'busy', 'read_timeout', 'invalid_response', 'translation_failed'];
const STATUSES = [400, 401, 404, 408, 413, 415, 418, 429, 431, 500, 503];

/** The own errors of the proxy that have a reason. */
const REFUSALS = Object.values<ClientError>(PROXY_ERRORS).flatMap(({ status, reason }) =>
  reason === undefined ? [] : { status, detail: reason },
);

const RECORDS: readonly Partial<RequestRecord>[] = [
  ...documentedCodes().map((code) => ({ outcome: 'broken', status: 502, ...code }) as const),
  ...[...CODES, 'some_new_code'].map((end) => ({ outcome: 'broken', status: 200, end }) as const),
  ...STATUSES.map((status) => ({ outcome: 'refused', status }) as const),
  ...REFUSALS.map((error) => ({ outcome: 'refused', ...error }) as const),
  ...STATUSES.map((status) => ({ outcome: 'failed', caller: '0123456789abcdef', status }) as const),
  ...[400, 404, 429].map((status) => ({ outcome: 'failed', requestedModel: 'gpt-4o', status }) as const),
  { outcome: 'refused', requestedModel: 'gpt-4o', status: 404 },
  { outcome: 'broken', status: 502, end: 'network', detail: 'ECONNREFUSED', isUnsent: true },
];

/** Without the model, which most failures do not name. */
function line(change: Partial<RequestRecord>): string {
  const record = requestRecord({ requestedModel: null, ...change });
  const { reason, remedy, action } = failureOf(record, ['glm-5', 'nomic-embed-text']);
  const { outcome, end, detail, status } = record;
  const code = [end === 'complete' ? status : end, detail ?? ''].join(' ').trim();
  return `${outcome ?? ''} ${code}: ${reason}\n  ${remedy}${action === undefined ? '' : ` [${titleOf(action)}]`}\n`;
}

describe('failureOf()', () => {
  it('has the reason and the remedy of each failure as requestFailures.txt has them', () => {
    assertApproved('test/unit/dashboard/requestFailures.txt', RECORDS.map(line).join('\n'));
  });

  it('knows each code that docs/troubleshooting.md explains', () => {
    assert.ok(documentedCodes().length > 15);
    for (const code of documentedCodes())
      assert.doesNotMatch(failureOf(requestRecord({ outcome: 'broken', ...code })).reason, /interrupted/, code.end);
  });

  it("does not blame the user's API key for one of the client", () => {
    const refused = (caller: string) => failureOf(requestRecord({ outcome: 'failed', status: 401, caller }));
    assert.equal(refused('0123456789abcdef').action, 'setApiKey');
    const { reason, action } = refused('direct');
    assert.deepEqual([reason, action], ['the backend refused the key that the client sent', 'connectAssistant']);
  });

  it('blames the model for status 400 only if it is known that the backend does not offer it', () => {
    const record = requestRecord({ outcome: 'failed', status: 400, requestedModel: 'gpt-4o' });
    const [named, other] = ['the backend does not know the model gpt-4o', 'the backend did not accept the request'];
    for (const [models, reason] of [
      [['glm-5'], named],
      [['glm-5', 'gpt-4o'], other],
      [[], other],
    ] as const)
      assert.equal(failureOf(record, models).reason, reason);
  });

  it('does not take a detail for a name of its own', () => {
    const { reason } = failureOf(requestRecord({ outcome: 'broken', end: 'network', detail: 'constructor' }));
    assert.equal(reason, 'backend unreachable');
  });
});
