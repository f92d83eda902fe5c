import assert from 'node:assert/strict';
import { describeStatus } from '../../../src/presentation/statusText.ts';
import { statusTooltip } from '../../../src/presentation/statusTooltip.ts';
import type { AttestationSummary } from '../../../src/shared/messages.ts';
import type { ProxyStatus } from '../../../src/shared/status.ts';
import { VERSION } from '../../../src/shared/version.ts';
import { runningStatus } from '../../support/statuses.ts';

const NOW = Date.UTC(2026, 0, 15, 12);
const VERIFIED: AttestationSummary = {
  kind: 'verified',
  environment: 'production',
  pcr0: `0123abcd${'e'.repeat(80)}89efcdab`,
  approvedBy: 'pinned',
  moduleId: 'i-1-enc2',
  timestamp: NOW - 1000,
  certificateNotBefore: NOW - 2000,
  certificateNotAfter: NOW + 3_600_000,
  document: 'AAAA',
};

type Running = Extract<ProxyStatus, { kind: 'running' }>;

const running = (change: Partial<Running> = {}): Running =>
  runningStatus({
    verified: VERIFIED,
    establishedAt: NOW - 60_000,
    health: { kind: 'connected', models: ['a', 'b', 'c'], catalogue: null, checkedAt: NOW },
    ...change,
  });
const UNREACHABLE: Running['health'] = {
  kind: 'unreachable',
  cause: 'attestation',
  message: 'It was refused',
  failure: null,
  checkedAt: NOW,
  retryAt: null,
};

const tooltip = (status: ProxyStatus, sidePrompts = '') => statusTooltip(status, describeStatus(status), sidePrompts);
/** The rows of the table, by their names without links. */
const rows = (status: ProxyStatus) => {
  const lines = tooltip(status)
    .split('\n')
    .filter((line) => line.startsWith('| '));
  return new Map(
    lines.map((line) => {
      const [name = '', value = ''] = line.slice(2, -2).split(' | ');
      return [/^\[(.*)\]\(/.exec(name)?.[1] ?? name, value];
    }),
  );
};

describe('statusTooltip()', () => {
  it('begins with the headline, then the detail, and ends with the actions', () => {
    const shown = tooltip({ kind: 'portTaken', port: 14114, by: 'program' });
    assert.equal(
      shown,
      '**Sealed Proxy cannot start: port 14114 is used by another program.**\n\n' +
        'Sealed Proxy sent it no key. Use a free port, or quit that program and restart Sealed Proxy.\n\n' +
        '[Open Dashboard](command:sealedProxy.openDashboard) · ' +
        '[Use a Free Port](command:sealedProxy.useFreePort) · [Restart](command:sealedProxy.restart) · ' +
        '[Run Diagnostics](command:sealedProxy.diagnose) · [Open Settings](command:sealedProxy.openSettings)',
    );
  });

  it('shows what was verified: environment, PCR0 in short, module, session and certificate', () => {
    const shown = rows(running());
    assert.equal(shown.get('Base URL'), '`http://127.0.0.1:14114/v1`');
    assert.equal(shown.get('Backend'), '`https://enclave.example`');
    assert.equal(shown.get('Attestation'), 'verified, production image');
    assert.equal(shown.get('PCR0'), '0123abcd…89efcdab');
    assert.equal(shown.get('Enclave ID'), 'i-1-enc2');
    assert.equal(shown.get('Models'), '3');
    for (const name of ['Session since', 'Certificate valid until', 'Last check'])
      assert.match(shown.get(name) ?? '', /\d/, name);
  });

  it('shows that the user added the image', () => {
    const shown = rows(running({ verified: { ...VERIFIED, approvedBy: 'additional' } }));
    assert.equal(shown.get('Attestation'), 'verified, image added by you');
  });

  it('shows that a development backend is not verified', () => {
    const shown = rows(running({ verified: { kind: 'development', moduleId: 'i-dev' } }));
    assert.equal(shown.get('Attestation'), 'not verified (development backend)');
    for (const name of ['PCR0', 'Enclave ID', 'Certificate valid until'])
      assert.equal(shown.get(name), undefined, name);
  });

  it('shows that nothing is verified without a session', () => {
    const shown = rows(running({ health: UNREACHABLE, verified: null, establishedAt: null }));
    assert.equal(shown.get('Attestation'), 'not verified');
    for (const name of ['Session since', 'Models']) assert.equal(shown.get(name), undefined, name);
  });

  it('shows that the proxy runs in another window, and its version', () => {
    const shown = rows(running({ shared: true }));
    assert.equal(shown.get('Proxy'), 'running in another window');
    assert.equal(shown.get('Version'), `1.2.3 (this window has ${VERSION})`);
    assert.equal(rows(running({ version: VERSION })).get('Version'), VERSION);
  });

  it('has no table while no proxy runs', () => {
    for (const status of [{ kind: 'off' }, { kind: 'starting' }, { kind: 'restarting', at: NOW }] as const)
      assert.doesNotMatch(tooltip(status), /\|/);
  });

  it('says where side prompts go, with a link to the command that changes it', () => {
    const shown = tooltip({ kind: 'off' }, '2 go to [x](command:y), 1 sealed');
    assert.ok(
      shown.includes(
        "glossary.md#side-prompt): 2 go to \\[x\\](command:y), 1 sealed. [Keep VS Code's Chat Sealed…](command:sealedProxy.keepChatSealed)\n\n[Open Dashboard]",
      ),
      shown,
    );
    assert.doesNotMatch(tooltip({ kind: 'off' }), /keepChatSealed/);
  });

  it('links terms to the glossary', () => {
    assert.match(tooltip(running()), /\[Attestation\]\(https:\/\/github\.com\/\S+\/docs\/glossary\.md#attestation\)/);
  });

  it('shows text from outside as text', () => {
    const message = 'See [this](command:workbench.action.quit) $(shield) | **x**';
    const shown = tooltip(running({ health: { ...UNREACHABLE, message }, verified: null }));
    assert.ok(shown.includes('\\[this\\](command:workbench.action.quit) \\$(shield) \\| \\*\\*x\\*\\*.'), shown);
    const hostile = rows(running({ verified: { ...VERIFIED, moduleId: 'i`|[x](y)' } }));
    assert.equal(hostile.get('Enclave ID'), 'i\\`\\|\\[x\\](y)');
  });

  it('links the site where the user of the default backend gets an API key', () => {
    const backendUrl = 'https://enclave.trymaple.ai';
    const status = running({ health: { kind: 'noKey' }, backendUrl });
    const tooltip = statusTooltip(status, describeStatus(status));
    assert.ok(tooltip.includes('Create one at [trymaple.ai](https://trymaple.ai), under API Keys.'), tooltip);
  });
});
