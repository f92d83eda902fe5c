import assert from 'node:assert/strict';
import { describeStatus, statusBarText, summaryOf } from '../../../src/presentation/statusText.ts';
import type { StatusView } from '../../../src/presentation/statusText.ts';
import { RESTART_SETTINGS } from '../../../src/settings/schema.ts';
import type { AttestationSummary } from '../../../src/shared/messages.ts';
import type { Cause, Health, ProxyStatus } from '../../../src/shared/status.ts';
import { VERSION } from '../../../src/shared/version.ts';
import { runningStatus } from '../../support/statuses.ts';

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
const CAUSES: readonly Cause[] = ['network', 'attestation', 'pcr0', 'clock', 'protocol', 'backend', 'newImage'];
/** As the tooltip shows a time of day. */
const clock = (at: number) => new Date(at).toLocaleTimeString();

type Running = Extract<ProxyStatus, { kind: 'running' }>;

const connected: Health = { kind: 'connected', models: ['a', 'b', 'c'], catalogue: null, checkedAt: NOW };
const unreachable = (cause: Cause, message = 'It was so and so'): Health => {
  return { kind: 'unreachable', cause, message, failure: null, checkedAt: NOW, retryAt: NOW + 20_000 };
};
const running = (health: Health, change: Partial<Running> = {}): Running =>
  runningStatus({ verified: VERIFIED, establishedAt: NOW - 60_000, health, ...change });

/** Every sentence that a state shows. */
const allText = (status: ProxyStatus) => {
  const view = describeStatus(status);
  return `${statusBarText(view, false)} ${summaryOf(view)}`;
};

interface Expected {
  readonly name: string;
  readonly status: ProxyStatus;
  readonly text: string;
  readonly compact: string;
  readonly severity: StatusView['severity'];
  readonly headline: string | RegExp;
  readonly detail: string | RegExp;
  readonly actions: string;
  readonly click?: StatusView['click'];
}

const RUNNING = 'checkConnection copyBaseUrl showAttestation showLog stop';
const BROKEN = 'checkConnection diagnose showAttestation showLog stop';
const NO_KEY = 'Sealed Proxy sent it no key.';
const QUIT = 'Use a free port, or quit that program and restart Sealed Proxy.';
const TABLE: readonly Expected[] = [
  {
    name: 'off',
    status: { kind: 'off' },
    text: '$(circle-slash) Sealed Proxy: off',
    compact: '$(circle-slash) off',
    severity: 'none',
    headline: 'Sealed Proxy is off in this window.',
    detail: 'To start it, run "Sealed Proxy: Start".',
    actions: 'start stopAll showLog',
  },
  {
    name: 'off in all windows',
    status: { kind: 'off', allWindows: true },
    text: '$(circle-slash) Sealed Proxy: off',
    compact: '$(circle-slash) off',
    severity: 'none',
    headline: 'Sealed Proxy is off in all windows.',
    detail: 'It stays off, even after you restart the editor. To start it again, run "Sealed Proxy: Start".',
    actions: 'start showLog',
  },
  {
    name: 'starting',
    status: { kind: 'starting' },
    text: '$(loading~spin) Sealed Proxy: starting',
    compact: '$(loading~spin) starting',
    severity: 'none',
    headline: 'Sealed Proxy is starting.',
    detail: '',
    actions: 'stop showLog',
  },
  {
    name: 'failed to start',
    status: { kind: 'failed', reason: 'slowStart', message: 'It was not ready in time' },
    text: '$(error) Sealed Proxy: start failed',
    compact: '$(error) start failed',
    severity: 'error',
    headline: 'Sealed Proxy is not running.',
    detail: 'It was not ready in time.',
    actions: 'restart diagnose openSettings showLog',
  },
  {
    name: 'about to restart after a crash',
    status: { kind: 'restarting', at: NOW + 4000 },
    text: '$(loading~spin) Sealed Proxy: restarting',
    compact: '$(loading~spin) restarting',
    severity: 'warning',
    headline: `Sealed Proxy stopped unexpectedly and restarts at ${clock(NOW + 4000)}.`,
    detail: '',
    actions: 'restart stop showLog',
  },
  {
    name: 'stopped after too many crashes',
    status: { kind: 'failed', reason: 'crashes', message: 'It ended five times.' },
    text: '$(error) Sealed Proxy: crashed',
    compact: '$(error) crashed',
    severity: 'error',
    headline: 'Sealed Proxy is not running.',
    detail: 'It ended five times.',
    actions: 'restart diagnose openSettings showLog',
  },
  ...(
    [
      ['program', 'used by another program', `${NO_KEY} ${QUIT}`],
      ['unresponsive', 'used by a program that does not respond', `${NO_KEY} ${QUIT}`],
      [
        'sealedProxy',
        'used by a Sealed Proxy of another editor or computer',
        'Each editor runs its own proxy. No key was sent to the other one. Use a free port: this editor then keeps it.',
      ],
      ['silent', 'held by another program', `That program does not listen on it. ${QUIT}`],
      ['system', 'reserved by the system', /^Use a free port\. On Windows, /],
    ] as const
  ).map(([by, problem, detail]): Expected => ({
    name: `port taken: ${problem}`,
    status: { kind: 'portTaken', port: 14114, by },
    text: '$(error) Sealed Proxy: port taken',
    compact: '$(error) port taken',
    severity: 'error',
    headline: `Sealed Proxy cannot start: port 14114 is ${problem}.`,
    detail,
    actions: 'useFreePort restart diagnose openSettings',
  })),
  {
    name: 'older version in another window',
    status: { kind: 'otherVersion', port: 14114, version: '0.1.0', isNewer: false },
    text: '$(warning) Sealed Proxy: other version',
    compact: '$(warning) other version',
    severity: 'warning',
    headline: `Another window runs Sealed Proxy 0.1.0; this window has ${VERSION}.`,
    detail: `Restart to use ${VERSION} in all windows.`,
    actions: 'restart openSettings',
  },
  {
    name: 'newer version in another window',
    status: { kind: 'otherVersion', port: 14114, version: '9.9.9', isNewer: true },
    text: '$(warning) Sealed Proxy: other version',
    compact: '$(warning) other version',
    severity: 'warning',
    headline: `Another window runs Sealed Proxy 9.9.9; this window has ${VERSION}.`,
    detail: 'Reload this window to use the new version here too. If this message remains, update the extension first.',
    actions: 'reloadWindow openSettings',
  },
  {
    name: 'other settings',
    status: { kind: 'otherSettings', port: 14114, backendUrl: 'https://other.example' },
    text: '$(warning) Sealed Proxy: other settings',
    compact: '$(warning) other settings',
    severity: 'warning',
    headline: 'Another window runs Sealed Proxy on port 14114 with different settings.',
    detail: /^Its backend is https:\/\/other\.example, .* Restart to switch all windows to this window's settings\.$/,
    actions: 'restart openSettings',
  },
  {
    name: 'no API key',
    status: running({ kind: 'noKey' }),
    text: '$(key) Sealed Proxy: set API key',
    compact: '$(key) set API key',
    severity: 'none',
    headline: 'Sealed Proxy needs an API key.',
    detail: 'Get one from the operator of your backend. Then run Set API Key.',
    actions: `setApiKey ${RUNNING}`,
    click: 'setApiKey',
  },
  {
    name: 'checking',
    status: running({ kind: 'checking' }),
    text: '$(loading~spin) Sealed Proxy: checking',
    compact: '$(loading~spin) checking',
    severity: 'none',
    headline: 'Sealed Proxy is checking the connection to the backend.',
    detail: '',
    actions: RUNNING,
  },
  ...[false, true].map((shared): Expected => ({
    name: `connected to a verified enclave${shared ? ' through another window' : ''}`,
    status: running(connected, { shared }),
    text: '$(shield) Sealed Proxy',
    compact: '$(shield)',
    severity: 'none',
    headline: 'Sealed Proxy is connected. Prompts to its models are encrypted to a verified enclave.',
    detail: '',
    actions: RUNNING,
  })),
  ...[false, true].map((shared): Expected => ({
    name: `connected to a development backend${shared ? ' through another window' : ''}`,
    status: running(connected, { verified: DEVELOPMENT, shared }),
    text: '$(beaker) Sealed Proxy: development',
    compact: '$(beaker) development',
    severity: 'warning',
    headline: 'Sealed Proxy is connected to a development backend, which is not verified.',
    detail: 'Use it for tests only, and send it nothing private.',
    actions: RUNNING,
  })),
  {
    name: 'connected while the enclave is verified again',
    status: running(connected, { verified: null, establishedAt: null }),
    text: '$(loading~spin) Sealed Proxy: verifying',
    compact: '$(loading~spin) verifying',
    severity: 'none',
    headline: 'Sealed Proxy is connected and verifies the enclave again.',
    detail: '',
    actions: RUNNING,
  },
  {
    name: 'key rejected',
    status: running({ kind: 'keyRejected', checkedAt: NOW }),
    text: '$(key) Sealed Proxy: key refused',
    compact: '$(key) key refused',
    severity: 'error',
    headline: 'Sealed Proxy reached the backend, but the backend refused the API key.',
    detail: 'The key is invalid or was deleted. Set a new one.',
    actions: `setApiKey ${RUNNING}`,
  },
  {
    name: 'slow',
    status: running({ kind: 'slow', checkedAt: NOW, retryAt: NOW + 5000 }),
    text: '$(watch) Sealed Proxy: no response',
    compact: '$(watch) no response',
    severity: 'warning',
    headline: 'Sealed Proxy cannot use the backend, which did not respond in time.',
    detail: `Next attempt at ${clock(NOW + 5000)}. If this continues, run diagnostics.`,
    actions: BROKEN,
  },
  ...(
    [
      ['network', 'debug-disconnect', 'unreachable', /cannot reach the backend\.$/, /^It was so and so\. Check your/],
      [
        'attestation',
        'workspace-untrusted',
        'attestation failed',
        /the enclave could not be authenticated\.$/,
        /^It was so and so\. No prompts or keys were sent\. Traffic may be intercepted\. Try another network\./,
      ],
      [
        'pcr0',
        'workspace-untrusted',
        'image not trusted',
        /the enclave image is not trusted\.$/,
        /^It was so and so\. No prompts or keys were sent\. .* sealedProxy\.additionalPcr0/,
      ],
      [
        'clock',
        'workspace-untrusted',
        'clock wrong',
        /clock is wrong\.$/,
        /^It was so and so\. No prompts or keys were sent\. Set the date/,
      ],
      ['protocol', 'workspace-untrusted', 'protocol error', /is not a working enclave\.$/, /^It was so and so\. Check/],
      [
        'backend',
        'server',
        'backend error',
        /cannot process requests right now\.$/,
        /^It was so and so\. Wait a few minutes\. .* Next attempt/,
      ],
    ] as const
  ).map(([cause, icon, label, headline, detail]): Expected => {
    const status = running(unreachable(cause), { verified: null, establishedAt: null });
    return {
      name: `unreachable by ${cause}`,
      status,
      text: `$(${icon}) Sealed Proxy: ${label}`,
      compact: `$(${icon}) ${label}`,
      severity: 'error',
      headline,
      detail,
      actions: BROKEN,
    };
  }),
];

const EVERYTHING = TABLE.map(({ status }) => status);

describe('describeStatus()', () => {
  for (const { name, status, severity, headline, detail, actions, click = 'showMenu' } of TABLE) {
    it(`describes the state: ${name}`, () => {
      const view = describeStatus(status);
      assert.equal(view.severity, severity);
      for (const [shown, expected] of [
        [view.headline, headline],
        [view.detail, detail],
      ] as const) {
        if (typeof expected === 'string') assert.equal(shown, expected);
        else assert.match(shown, expected);
      }
      assert.equal(view.actions.join(' '), actions);
      assert.equal(view.click, click);
    });
  }

  it('names the product in every headline', () => {
    for (const status of EVERYTHING) assert.match(describeStatus(status).headline, /Sealed Proxy/);
  });

  it('never describes a development backend like a verified enclave', () => {
    for (const shared of [false, true]) {
      const real = describeStatus(running(connected, { shared }));
      const development = describeStatus(running(connected, { verified: DEVELOPMENT, shared }));
      for (const compact of [false, true]) {
        assert.notEqual(statusBarText(real, compact), statusBarText(development, compact));
        assert.match(statusBarText(development, compact), /development/);
      }
      assert.equal(development.severity, 'warning');
      assert.doesNotMatch(JSON.stringify(development), /shield|verified enclave|PCR0|Certificate/);
    }
  });

  it('shows the shield only if the enclave is verified and the backend answers', () => {
    const shields = EVERYTHING.filter((status) => describeStatus(status).icon === 'shield');
    for (const status of shields) {
      assert.ok(
        status.kind === 'running' && status.verified?.kind === 'verified' && status.health.kind === 'connected',
      );
    }
    assert.equal(shields.length, 2);
  });

  it('never describes a refused attestation as a network problem', () => {
    const network = describeStatus(running(unreachable('network', '')));
    for (const cause of CAUSES.filter((other) => other !== 'network')) {
      const status = running(unreachable(cause, 'Refused'));
      assert.notEqual(describeStatus(status).icon, network.icon);
      assert.notEqual(describeStatus(status).label, network.label);
      assert.doesNotMatch(allText(status), /unreachable|cannot (be )?reach|your network/i, cause);
    }
  });

  it('says where to create an API key', () => {
    const status = running({ kind: 'noKey' }, { backendUrl: RESTART_SETTINGS.backendUrl.default });
    assert.equal(describeStatus(status).detail, 'Create one at trymaple.ai, under API Keys. Then run Set API Key.');
  });

  it('says that nothing was sent only if the connection failed in the handshake', () => {
    const detailFor = (code: string) => {
      const failure = { at: NOW, code, detail: null, message: 'No' };
      return describeStatus(running({ ...unreachable('protocol'), failure } as Health)).detail;
    };
    assert.match(detailFor('handshake_malformed'), /No prompts or keys were sent\./);
    assert.doesNotMatch(detailFor('record_malformed'), /sent/);
  });

  it('says where the full PCR0 of a refused image is', () => {
    const { detail } = describeStatus(running(unreachable('pcr0', `It has PCR0 ${PCR0}`)));
    assert.match(detail, /^It has PCR0 0123abcd…89efcdab\. .* Show Attestation shows the full PCR0\. Next attempt/);
  });

  it('asks for consent to a new image, also while a session with another one is in use', () => {
    const newImage = { pcr0: PCR0, approvedBy: 'additional', listedSince: null, refused: false } as const;
    for (const [health, verified] of [
      [connected, VERIFIED],
      [unreachable('newImage'), null],
      [{ kind: 'checking' }, null],
    ] as const) {
      const view = describeStatus(running(health, { newImage, verified }));
      assert.deepEqual([view.label, view.click, view.actions[0]], ['new image', 'reviewImage', 'reviewImage']);
      assert.match(view.detail, /^Its PCR0 is 0123abcd…89efcdab\. You have added it .* before you accept it\.$/);
    }
  });

  it('says that a refused image is the reason, unless a session with another one is in use', () => {
    const newImage = { pcr0: PCR0, approvedBy: 'additional', listedSince: null, refused: true } as const;
    const view = describeStatus(running(unreachable('newImage'), { newImage, verified: null }));
    assert.deepEqual([view.label, view.severity, view.click], ['image refused', 'warning', 'reviewImage']);
    assert.match(summaryOf(view), /you have chosen not to use.* Your requests fail until you accept it/);
    assert.equal(describeStatus(running(connected, { newImage })).icon, 'shield');
  });

  it('does not repeat that the attestation failed', () => {
    const { detail } = describeStatus(
      running(unreachable('attestation', 'The attestation failed: the root is unknown')),
    );
    assert.match(detail, /^The root is unknown\. /);
  });

  it('never describes a session that is only renewed as an attack', () => {
    const status = running(connected, { verified: null, establishedAt: null });
    assert.equal(describeStatus(status).severity, 'none');
    assert.doesNotMatch(allText(status), /refused|attack|intercepted|untrusted/);
  });
});

describe('statusBarText()', () => {
  for (const { name, status, text, compact } of TABLE) {
    it(`shows icon and name, and in its compact form only what is needed: ${name}`, () => {
      const view = describeStatus(status);
      assert.equal(statusBarText(view, false), text);
      assert.equal(statusBarText(view, true), compact);
    });
  }

  it('has one icon and one line', () => {
    for (const status of EVERYTHING) {
      const text = statusBarText(describeStatus(status), false);
      assert.equal(text.match(/\$\(/g)?.length, 1, text);
      assert.doesNotMatch(text, /\n/);
    }
  });
});

describe('summaryOf()', () => {
  it('consists of complete sentences: no gaps, no double full stops, no icons, nothing left to fill in', () => {
    const awkward = ['It ends with a stop.', 'It has… dots', 'It asks: why?', 'Two. Sentences.'];
    const statuses = [
      ...EVERYTHING,
      ...CAUSES.flatMap((cause) => awkward.map((message) => running(unreachable(cause, message)))),
      running({ kind: 'unreachable', cause: 'network', message: 'No', failure: null, checkedAt: NOW, retryAt: null }),
      running({ kind: 'slow', checkedAt: NOW, retryAt: null }),
    ];
    for (const status of statuses) {
      const summary = summaryOf(describeStatus(status));
      assert.doesNotMatch(summary, / {2}|\.\.|[?!]\.|undefined|null|NaN| $|\$\(|\{\d\}/, summary);
      assert.match(summary, /[.?]$/);
    }
  });
});
