import assert from 'node:assert/strict';
import { backendChecks } from '../../../src/diagnostics/backendChecks.ts';
import type { DiagnosticsContext } from '../../../src/diagnostics/check.ts';
import { networkChecks } from '../../../src/diagnostics/networkChecks.ts';
import type { NetworkReport, RouteReport } from '../../../src/shared/network.ts';
import type { Health, RunningStatus } from '../../../src/shared/status.ts';
import type { Probe } from '../../../src/supervisor/portProbe.ts';
import { RUNNING, makeContext } from '../../support/diagnostics.ts';
import { aReport } from '../../support/reports.ts';
import { AT } from '../../support/statuses.ts';

const PROXY: RouteReport = { proxy: 'proxy.example:3128', source: 'system', authentication: 'none', schemes: [] };
const DIRECT: RouteReport = { proxy: '', source: 'none', authentication: 'none', schemes: [] };
const CERTIFICATES = { bundled: 121, extra: 0, system: 140 };

const unreachable = (code: string, detail: string): RunningStatus => {
  const failure = { at: AT, code, detail, message: 'The HTTP proxy is in the way' };
  const cause = code === 'network' ? 'network' : 'pcr0';
  const health: Health = { kind: 'unreachable', cause, message: '', failure, checkedAt: AT, retryAt: null };
  return { ...RUNNING, health };
};

describe('networkChecks()', () => {
  const run = async (
    name: string,
    network: Partial<NetworkReport> | null,
    change: Partial<DiagnosticsContext> = {},
  ) => {
    const report = network === null ? null : { backend: null, history: null, certificates: null, ...network };
    const found: Probe = { kind: 'own', report: aReport(1, { network: report }) };
    const context = makeContext({ probe: () => Promise.resolve(found), ...change });
    const check = networkChecks(context).find((each) => each.name === name) ?? assert.fail(name);
    return check.run(new AbortController().signal);
  };

  it('says which proxy the backend is reached through, and where that comes from', async () => {
    for (const [backend, finding] of [
      [PROXY, 'proxy.example:3128, from the operating system or a PAC script; it asked for no authentication'],
      [
        { ...PROXY, source: 'setting', authentication: 'sent' },
        'proxy.example:3128, from http.proxy; credentials are sent',
      ],
      [
        { ...PROXY, source: 'environment' },
        'proxy.example:3128, from the environment (HTTPS_PROXY or HTTP_PROXY); it asked for no authentication',
      ],
      [DIRECT, 'Direct: no proxy is configured'],
      [{ ...DIRECT, source: 'exception' }, 'Direct: the address is an exception in http.noProxy or NO_PROXY'],
      [{ ...DIRECT, source: 'off' }, 'Direct: http.proxySupport is off'],
      [{ ...DIRECT, source: 'system' }, 'Direct: the operating system or its PAC script names no proxy'],
      [{ ...DIRECT, source: 'local' }, 'Direct: the backend is on this computer'],
    ] as const) {
      const result = await run('HTTP proxy for the backend', { backend });
      assert.deepEqual([result.outcome, result.finding, result.remedy], ['passed', finding, '']);
    }
  });

  it('names the cause when the backend is unreachable', async () => {
    for (const [backend, detail, finding] of [
      [
        { ...PROXY, authentication: 'required', schemes: ['Basic', 'NTLM'] },
        'proxy_authentication',
        /it requires authentication \(Basic, NTLM\), and no credentials are set; the backend is unreachable$/,
      ],
      [
        { ...PROXY, authentication: 'refused', schemes: ['Negotiate'] },
        'proxy_authentication_unsupported',
        /it refused the credentials \(Negotiate\); the backend is unreachable$/,
      ],
      [PROXY, 'proxy_unreachable', /the backend is unreachable$/],
      [DIRECT, 'ECONNREFUSED', /^Direct: no proxy is configured; the backend/],
      [DIRECT, 'SELF_SIGNED_CERT_IN_CHAIN', /unreachable$/],
    ] as const) {
      const status = () => unreachable('network', detail);
      const result = await run('HTTP proxy for the backend', { backend }, { status });
      assert.equal(result.outcome, 'failed');
      assert.match(result.finding, finding);
    }
  });

  for (const verified of [null, { kind: 'development', moduleId: null }] as const) {
    it(`leads to the one check that says what to do: ${verified === null ? 'no session' : 'a session'}`, async () => {
      for (const [name, code] of [
        ['HTTP proxy for the backend', 'network'],
        ['HTTP proxy for the list of images', 'history_unavailable'],
      ] as const) {
        const status = () => ({ ...unreachable(code, 'proxy_authentication'), verified });
        const { remedy } = await run(name, { backend: PROXY, history: PROXY }, { status });
        const { signal } = new AbortController();
        const results = backendChecks(makeContext({ status })).map(async (check) => ({
          name: check.name,
          ...(await check.run(signal)),
        }));
        const withRemedy = (await Promise.all(results)).filter((each) =>
          /Set http\.proxyAuthorization/.test(each.remedy),
        );
        assert.deepEqual(
          withRemedy.map((each) => `See "${each.name}".`),
          [remedy],
        );
      }
    });
  }

  it('does not blame the proxy for a backend on this computer', async () => {
    const backend = { ...DIRECT, source: 'local' } as const;
    const status = () => unreachable('network', 'ECONNREFUSED');
    assert.equal((await run('HTTP proxy for the backend', { backend }, { status })).outcome, 'passed');
  });

  it('says which proxy the list of images is downloaded through, if it is needed', async () => {
    const name = 'HTTP proxy for the list of images';
    assert.equal((await run(name, { history: null })).outcome, 'skipped');
    assert.equal((await run(name, { history: DIRECT })).finding, 'Direct: no proxy is configured');
    const failed = await run(
      name,
      { history: PROXY },
      { status: () => unreachable('history_unavailable', 'proxy_refused') },
    );
    assert.equal(failed.outcome, 'failed');
    assert.match(failed.finding, /; raw\.githubusercontent\.com is unreachable$/);
  });

  it('counts the certificates that are trusted', async () => {
    for (const [certificates, outcome, finding] of [
      [CERTIFICATES, 'passed', /^121 bundled with Node\.js, 140 from the operating system, NODE_EXTRA_CA_CERTS: none$/],
      [
        { ...CERTIFICATES, extra: 2, system: null },
        'passed',
        /none from the operating system, 2 from NODE_EXTRA_CA_CERTS$/,
      ],
      [{ ...CERTIFICATES, system: 'failed' }, 'failed', /those of the operating system could not be read/],
      [null, 'failed', /still being read$/],
    ] as const) {
      const result = await run('TLS certificates', { certificates });
      assert.equal(result.outcome, outcome);
      assert.match(result.finding, finding);
    }
    const lax = await run(
      'TLS certificates',
      { certificates: CERTIFICATES },
      { network: () => ({ strictTls: false }) },
    );
    assert.match(lax.finding, /http\.proxyStrictSSL is off: TLS certificates are not verified$/);
  });

  it('is skipped while no proxy reports it', async () => {
    const name = 'HTTP proxy for the backend';
    assert.equal((await run(name, null)).outcome, 'skipped');
    assert.equal((await run(name, {})).outcome, 'skipped');
    assert.equal((await run(name, {}, { status: () => ({ kind: 'off' }) })).outcome, 'skipped');
    assert.equal((await run(name, {}, { probe: () => Promise.resolve({ kind: 'free' }) })).outcome, 'skipped');
  });
});
