import assert from 'node:assert/strict';
import { describeStatus, shortPcr0 } from '../../../src/presentation/statusText.ts';
import type { StatusView } from '../../../src/presentation/statusText.ts';
import type { AttestationSummary } from '../../../src/shared/messages.ts';
import type { Cause, Health, ProxyStatus } from '../../../src/shared/status.ts';

const NOW = Date.UTC(2026, 0, 15, 12);
const PCR0 = `0123abcd${'e'.repeat(80)}89efcdab`;
const VERIFIED: AttestationSummary = {
  kind: 'verified',
  environment: 'production',
  pcr0: PCR0,
  approvedBy: 'pinned',
  moduleId: 'i-1-enc2',
  timestamp: NOW - 1000,
  certificateNotBefore: NOW - 2000,
  certificateNotAfter: NOW + 3_600_000,
  document: 'AAAA',
};
const DEVELOPMENT: AttestationSummary = { kind: 'development', moduleId: 'i-dev' };
const CAUSES: readonly Cause[] = ['network', 'attestation', 'pcr0', 'clock', 'protocol', 'backend'];
/** As the tooltip shows a time of day. */
const clock = (at: number) => new Date(at).toLocaleTimeString();

type Running = Extract<ProxyStatus, { kind: 'running' }>;

const connected: Health = { kind: 'connected', models: ['a', 'b', 'c'], catalogue: null, checkedAt: NOW };
const unreachable = (cause: Cause, message = 'It was so and so'): Health => {
  return { kind: 'unreachable', cause, message, failure: null, checkedAt: NOW, retryAt: NOW + 20_000 };
};
const running = (health: Health, change: Partial<Running> = {}): Running => ({
  kind: 'running',
  url: 'http://127.0.0.1:14114',
  port: 14114,
  version: '1.2.3',
  shared: false,
  backendUrl: 'https://enclave.example',
  verified: VERIFIED,
  establishedAt: NOW - 60_000,
  health,
  ...change,
});

/** As the editor's own `l10n.t` does it in English. */
const t = (message: string, ...args: (string | number)[]) =>
  message.replaceAll(/\{(\d)\}/g, (_match, index: string) => String(args[Number(index)]));
const view = (status: ProxyStatus): StatusView => describeStatus(status, t);
const iconOf = (status: ProxyStatus) => /^\$\(([a-z-]+(?:~spin)?)\)/.exec(view(status).text)?.[1];

interface Expected {
  readonly name: string;
  readonly status: ProxyStatus;
  readonly text: string;
  readonly severity: StatusView['severity'];
  readonly summary: RegExp;
  readonly actions: string;
  readonly click?: StatusView['click'];
}

const RUNNING = 'checkConnection copyBaseUrl showAttestation showLog stop';
const TABLE: readonly Expected[] = [
  {
    name: 'off',
    status: { kind: 'off' },
    text: '$(circle-slash) Sealed Proxy',
    severity: 'none',
    summary: /^The proxy is off in this window\.$/,
    actions: 'start showLog',
  },
  {
    name: 'starting',
    status: { kind: 'starting' },
    text: '$(loading~spin) Sealed Proxy',
    severity: 'none',
    summary: /^The proxy is starting\.$/,
    actions: 'stop showLog',
  },
  {
    name: 'crashed and about to start again',
    status: { kind: 'restarting', at: NOW + 4000 },
    text: '$(loading~spin) Sealed Proxy: restarting',
    severity: 'warning',
    summary: new RegExp(`starts again at ${clock(NOW + 4000)}\\.$`),
    actions: 'restart stop showLog',
  },
  {
    name: 'crashed too often',
    status: { kind: 'failed', reason: 'crashes', message: 'It ended five times.' },
    text: '$(error) Sealed Proxy: stopped',
    severity: 'error',
    summary: /^It ended five times\.$/,
    actions: 'restart openSettings showLog',
  },
  {
    name: 'port taken',
    status: { kind: 'portTaken', port: 14114, unresponsive: false },
    text: '$(error) Sealed Proxy: port taken',
    severity: 'error',
    summary: /^Port 14114 is used by another program\. No key was sent to it\.$/,
    actions: 'useFreePort openSettings restart',
  },
  {
    name: 'port taken by one who does not answer',
    status: { kind: 'portTaken', port: 14114, unresponsive: true },
    text: '$(error) Sealed Proxy: port taken',
    severity: 'error',
    summary: /^Port 14114 is used by a program that does not answer\. No key was sent to it\.$/,
    actions: 'useFreePort openSettings restart',
  },
  {
    name: 'other version',
    status: { kind: 'otherVersion', port: 14114, version: '9.9.9' },
    text: '$(warning) Sealed Proxy: other version',
    severity: 'warning',
    summary: /version 9\.9\.9 on port 14114/,
    actions: 'restart openSettings',
  },
  {
    name: 'no API key',
    status: running({ kind: 'noKey' }),
    text: '$(key) Sealed Proxy',
    severity: 'none',
    summary: /^No API key yet\. Click to set it\.$/,
    actions: `setApiKey ${RUNNING}`,
    click: 'setApiKey',
  },
  {
    name: 'checking',
    status: running({ kind: 'checking' }),
    text: '$(loading~spin) Sealed Proxy',
    severity: 'none',
    summary: /^Checking the connection/,
    actions: RUNNING,
  },
  {
    name: 'connected to a verified enclave',
    status: running(connected),
    text: '$(shield) 3',
    severity: 'none',
    summary: /^Connected to a verified enclave: 3 models\.$/,
    actions: RUNNING,
  },
  {
    name: 'connected through another window',
    status: running(connected, { shared: true }),
    text: '$(shield) 3 (shared)',
    severity: 'none',
    summary: /verified enclave/,
    actions: RUNNING,
  },
  {
    name: 'connected to a development backend',
    status: running(connected, { verified: DEVELOPMENT }),
    text: '$(beaker) development 3',
    severity: 'warning',
    summary: /development backend: 3 models\. It is not verified\.$/,
    actions: RUNNING,
  },
  {
    name: 'connected to a development backend through another window',
    status: running(connected, { verified: DEVELOPMENT, shared: true }),
    text: '$(beaker) development 3 (shared)',
    severity: 'warning',
    summary: /not verified/,
    actions: RUNNING,
  },
  {
    name: 'connected and just being verified again',
    status: running(connected, { verified: null, establishedAt: null }),
    text: '$(loading~spin) Sealed Proxy',
    severity: 'none',
    summary: /verified again\.$/,
    actions: RUNNING,
  },
  {
    name: 'key rejected',
    status: running({ kind: 'keyRejected', checkedAt: NOW }),
    text: '$(key) Sealed Proxy: key refused',
    severity: 'error',
    summary: /^The backend refused the API key/,
    actions: `setApiKey ${RUNNING}`,
  },
  {
    name: 'slow',
    status: running({ kind: 'slow', checkedAt: NOW, retryAt: NOW + 5000 }),
    text: '$(watch) Sealed Proxy: slow',
    severity: 'warning',
    summary: new RegExp(`did not answer in time\\. Next try at ${clock(NOW + 5000)}\\.$`),
    actions: RUNNING,
  },
  ...(
    [
      ['network', 'debug-disconnect', 'unreachable', /^The backend cannot be reached\. It was so and so\. Check/],
      ['attestation', 'workspace-untrusted', 'attestation refused', /^It was so and so\. .* Nothing was sent to it\./],
      ['pcr0', 'workspace-untrusted', 'image not approved', /^It was so and so\. .* sealedProxy\.additionalPcr0/],
      ['clock', 'workspace-untrusted', 'clock wrong', /^It was so and so\. Next try/],
      ['protocol', 'workspace-untrusted', 'protocol error', /does not answer as an enclave does\. It was so and so/],
      ['backend', 'server', 'backend error', /^The backend answers, but cannot serve .* It was so and so\./],
    ] as const
  ).map(([cause, icon, label, summary]) => ({
    name: `unreachable by ${cause}`,
    status: running(unreachable(cause), { verified: null, establishedAt: null }),
    text: `$(${icon}) Sealed Proxy: ${label}`,
    severity: 'error' as const,
    summary,
    actions: RUNNING,
  })),
];

const EVERYTHING = TABLE.map(({ status }) => status);

describe('The status bar', () => {
  for (const { name, status, text, severity, summary, actions, click = 'menu' } of TABLE) {
    it(`shows: ${name}`, () => {
      const shown = view(status);
      assert.equal(shown.text, text);
      assert.equal(shown.severity, severity);
      assert.match(shown.summary, summary);
      assert.equal(shown.actions.join(' '), actions);
      assert.equal(shown.click, click);
    });
  }

  it('has one icon and one line, and says the same to those who hear it', () => {
    for (const status of EVERYTHING) {
      const { text, accessibleText, summary } = view(status);
      assert.equal(text.match(/\$\(/g)?.length, 1, text);
      assert.doesNotMatch(text, /\n/);
      assert.equal(accessibleText, `Sealed Proxy: ${summary}`);
      assert.doesNotMatch(accessibleText, /\$\(|\{\d\}/);
    }
  });

  it('says whole sentences: no gap, no double stop, nothing left open', () => {
    const awkward = ['It ends with a stop.', 'It has… dots', 'It asks: why?', 'Two. Sentences.'];
    const statuses = [
      ...EVERYTHING,
      ...CAUSES.flatMap((cause) => awkward.map((message) => running(unreachable(cause, message)))),
      running({ kind: 'unreachable', cause: 'network', message: 'No', failure: null, checkedAt: NOW, retryAt: null }),
      running({ kind: 'slow', checkedAt: NOW, retryAt: null }),
    ];
    for (const status of statuses) {
      const { summary } = view(status);
      assert.doesNotMatch(summary, / {2}|\.\.|[?!]\.|undefined|null|NaN| $/, summary);
      assert.match(summary, /[.?]$/);
    }
  });

  it('never shows a development backend like a verified one', () => {
    for (const shared of [false, true]) {
      const real = view(running(connected, { shared }));
      const pretended = view(running(connected, { verified: DEVELOPMENT, shared }));
      assert.notEqual(real.text, pretended.text);
      assert.equal(pretended.severity, 'warning');
      assert.match(pretended.text, /development/);
      assert.doesNotMatch(JSON.stringify(pretended), /shield|verified enclave|PCR0|Certificate/);
    }
  });

  it('shows the shield only where something is verified and the backend answers', () => {
    const proven = EVERYTHING.filter((status) => iconOf(status) === 'shield');
    for (const status of proven) {
      assert.ok(
        status.kind === 'running' && status.verified?.kind === 'verified' && status.health.kind === 'connected',
      );
    }
    assert.equal(proven.length, 2);
  });

  it('never shows a refused attestation as a fault of the network', () => {
    const network = view(running(unreachable('network', '')));
    for (const cause of CAUSES.filter((other) => other !== 'network')) {
      const { text, summary } = view(running(unreachable(cause, 'Refused')));
      assert.notEqual(iconOf(running(unreachable(cause))), 'debug-disconnect');
      assert.notEqual(text, network.text);
      assert.doesNotMatch(`${text} ${summary}`, /unreachable|cannot be reached|network/i, cause);
    }
  });

  it('never shows a session that is only renewed as an attack', () => {
    const renewed = view(running(connected, { verified: null, establishedAt: null }));
    assert.equal(renewed.severity, 'none');
    assert.doesNotMatch(renewed.summary, /refused|attack|untrusted/);
  });
});

describe('The tooltip', () => {
  const facts = (status: ProxyStatus) => new Map(view(status).facts);

  it('says what was verified: environment, PCR0 in short, module, since when and until when', () => {
    const shown = facts(running(connected));
    assert.equal(shown.get('Base URL'), 'http://127.0.0.1:14114/v1');
    assert.equal(shown.get('Backend'), 'https://enclave.example');
    assert.equal(shown.get('Verified'), 'production enclave, PCR0 0123abcd…89efcdab');
    assert.equal(shown.get('Module'), 'i-1-enc2');
    assert.equal(shown.get('Models'), '3');
    assert.equal(shown.get('Version'), '1.2.3');
    for (const name of ['Since', 'Certificate valid until', 'Last check'])
      assert.match(shown.get(name) ?? '', /\d/, name);
  });

  it('says of a development backend that nothing was verified', () => {
    const shown = facts(running(connected, { verified: DEVELOPMENT }));
    assert.match(shown.get('Verified') ?? '', /^nothing/);
    assert.deepEqual([shown.get('Module'), shown.get('Certificate valid until')], [undefined, undefined]);
  });

  it('says that nothing is verified where nothing is', () => {
    const shown = facts(running(unreachable('attestation'), { verified: null, establishedAt: null }));
    assert.equal(shown.get('Verified'), 'nothing at the moment');
    assert.deepEqual([shown.get('Since'), shown.get('Models')], [undefined, undefined]);
  });

  it('says whose proxy it is', () => {
    assert.equal(facts(running(connected, { shared: true })).get('Version'), '1.2.3, served by another window');
  });

  it('has no facts where no proxy runs', () => {
    for (const status of EVERYTHING.filter(({ kind }) => kind !== 'running')) assert.deepEqual(view(status).facts, []);
  });

  it('shows both ends of a measurement', () => {
    assert.equal(shortPcr0(PCR0), '0123abcd…89efcdab');
  });
});
