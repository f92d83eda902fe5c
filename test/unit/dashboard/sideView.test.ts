import assert from 'node:assert/strict';
import { sideRows } from '../../../src/dashboard/sideView.ts';
import type { SideRow } from '../../../src/dashboard/sideView.ts';
import { makeAccessKey } from '../../../src/keys/accessKeys.ts';
import type { RequestRecord } from '../../../src/shared/activity.ts';
import type { Health, ProxyStatus } from '../../../src/shared/status.ts';
import { AT, runningStatus, unreachableStatus } from '../../support/statuses.ts';

const CLINE = makeAccessKey('Cline', 'assistant', AT);
const USED = { ...makeAccessKey("Ada's notebook", 'user', AT), lastUsedAt: AT };
const FAILED: RequestRecord = {
  id: 1,
  at: AT,
  caller: CLINE.id,
  isCheck: false,
  method: 'POST',
  path: '/v1/chat/completions',
  model: null,
  requestedModel: 'glm-5',
  status: 502,
  firstByteMs: null,
  durationMs: 20,
  tokensIn: null,
  tokensOut: null,
  tokensCached: null,
  outcome: 'refused',
  end: 'network',
  isUnsent: true,
  detail: null,
};

const outline = (rows: readonly SideRow[]): string[] =>
  rows.flatMap(({ label, command, section = '', children = [] }) => [
    command === undefined ? label : `${label} → ${command} ${section}`.trimEnd(),
    ...outline(children).map((line) => `  ${line}`),
  ]);
const rowsOf = (status: ProxyStatus, failures: readonly RequestRecord[] = []) =>
  sideRows(status, [CLINE, USED], ['glm-5'], failures);

describe('sideRows()', () => {
  it('shows the state, the address, the clients, the failures and what can be done', () => {
    assert.deepEqual(outline(rowsOf(runningStatus(), [FAILED])), [
      'Connected → openDashboard',
      'Base URL → copyBaseUrl',
      'Clients',
      '  Cline → openDashboard clients',
      "  Ada's notebook → openDashboard clients",
      'Last failures',
      '  Backend unreachable → openDashboard requests',
      'Actions',
      '  Ask in Chat → openChat',
      '  Connect an Assistant… → connectAssistant',
      '  Show Where Prompts Go → showPrompts',
      '  Open Dashboard → openDashboard',
      '  Run Diagnostics → diagnose',
      '  Show Menu → showMenu',
    ]);
  });

  it('marks a client as well only while its requests reach the backend', () => {
    const clientsIn = (status: ProxyStatus) => rowsOf(status).find(({ label }) => label === 'Clients')?.children ?? [];
    const icons = (status: ProxyStatus) => clientsIn(status).map(({ icon }) => icon);
    assert.deepEqual(icons(runningStatus()), ['watch', 'pass']);
    assert.deepEqual(icons(unreachableStatus('network')), ['circle-outline', 'circle-outline']);
    for (const { label, description, tooltip } of clientsIn(runningStatus()))
      assert.equal(tooltip, `${label}: ${description}`);
  });

  it('offers the remedy of a state that needs the user', () => {
    const taken = outline(rowsOf({ kind: 'portTaken', port: 1, by: 'program' }));
    assert.deepEqual(taken.slice(0, 3), ['Port taken → openDashboard', 'Use a Free Port → useFreePort', 'Clients']);
    const refused = outline(rowsOf(runningStatus({ health: { kind: 'keyRejected', checkedAt: AT } })));
    assert.deepEqual(refused.slice(0, 2), ['Key refused → openDashboard', 'Set API Key → setApiKey']);
  });

  it('offers each command once', () => {
    const rows = outline(rowsOf(unreachableStatus('network')));
    assert.equal(rows[1], 'Run Diagnostics → diagnose');
    assert.equal(rows.filter((row) => row.includes('diagnose')).length, 1);
  });

  it('offers to start a proxy that is off, and says nothing about clients then', () => {
    const rows = rowsOf({ kind: 'off' });
    assert.deepEqual(outline(rows).slice(0, 3), ['Off → openDashboard', 'Start → start', 'Clients']);
    const icons = rows
      .flatMap(({ label, children = [] }) => (label === 'Clients' ? children : []))
      .map(({ icon }) => icon);
    assert.deepEqual(icons, ['circle-outline', 'circle-outline']);
  });

  it('says beside the state what it is connected to', () => {
    assert.equal(rowsOf(runningStatus())[0]?.description, 'to a verified enclave');
  });

  it('offers no remedy for a development backend, which works', () => {
    const verified = { kind: 'development', moduleId: null } as const;
    const rows = outline(rowsOf(runningStatus({ verified, backendUrl: 'http://127.0.0.1:9' })));
    assert.deepEqual(rows.slice(0, 2), ['Development → openDashboard', 'Base URL → copyBaseUrl']);
  });

  it('says which client has not sent a request yet', () => {
    const [cline, notebook] = rowsOf(runningStatus()).find(({ label }) => label === 'Clients')?.children ?? [];
    assert.equal(cline?.description, 'Waiting for the first request…');
    assert.match(notebook?.description ?? '', /^Last request \d+:\d\d\s[AP]M, [A-Z][a-z]{2} \d+$/);
  });

  it('begins the next step where there is nothing yet', () => {
    const rows = sideRows(runningStatus(), [], [], []);
    assert.ok(outline(rows).includes('  None yet: connect an assistant → connectAssistant'));
    assert.ok(outline(rows).includes('  None since the proxy started'));
  });

  it('names the model that the backend does not offer, and says what to do', () => {
    const failed = {
      ...FAILED,
      outcome: 'failed',
      end: 'complete',
      status: 400,
      requestedModel: 'gpt-\u202e4o',
    } as const;
    const group = rowsOf(runningStatus(), [failed]).find(({ label }) => label === 'Last failures');
    const [row] = group?.children ?? [];
    assert.equal(row?.label, 'The backend does not know the model gpt-\ufffd4o');
    assert.match(
      row.tooltip ?? '',
      /\. Select one that the backend offers, .+ Cline, .+ The dashboard has the details\.$/,
    );
  });

  it('shows names from outside as plain text', () => {
    const hostile = { ...CLINE, name: 'x\u202ey' };
    const failed = { ...FAILED, outcome: 'broken', end: 'x\u202ey' } as const;
    const health: Health = {
      kind: 'unreachable',
      cause: 'backend',
      message: 'x\u202ey',
      failure: null,
      checkedAt: AT,
      retryAt: null,
    };
    const rows = sideRows(runningStatus({ health }), [hostile], [], [failed]);
    assert.ok(!JSON.stringify(rows).includes('\u202e'));
  });
});
