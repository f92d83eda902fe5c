import assert from 'node:assert/strict';
import type { DiagnosticsContext } from '../../../src/diagnostics/check.ts';
import { localChecks } from '../../../src/diagnostics/localChecks.ts';
import type { Probe } from '../../../src/supervisor/portProbe.ts';
import { assertApproved, independent } from '../../support/approved.ts';
import { RUNNING, makeContext } from '../../support/diagnostics.ts';
import { STATES } from '../../support/statuses.ts';

describe('localChecks()', () => {
  const check = async (name: string, change: Partial<DiagnosticsContext> = {}) => {
    const found = localChecks(makeContext(change)).find((each) => each.name === name);
    assert.ok(found, name);
    return found.run(new AbortController().signal);
  };
  it('says of the process in each state what localChecks.txt has, with what to do', async () => {
    const shown = Object.entries(STATES).filter(([, status]) => status.kind !== 'running' || status.shared);
    const lines = shown.map(async ([name, status]) => {
      const { outcome, finding, remedy } = await check('Proxy process', { status: () => status });
      return [`## ${name}\n\n${outcome}: ${finding}\n`, remedy && `to do: ${remedy}\n`].join('');
    });
    const text = (await Promise.all(lines)).join('\n');
    assertApproved('test/unit/diagnostics/localChecks.txt', independent(text));
  });

  it('does not name the backend of another window', async () => {
    const status = { kind: 'otherSettings', port: 1, backendUrl: 'https://secret.example' } as const;
    const own = { kind: 'own', report: { version: '1.2.3' } } as Probe;
    for (const name of ['Proxy process', 'Port owner']) {
      const result = await check(name, { status: () => status, probe: () => Promise.resolve(own) });
      assert.equal(result.outcome, 'failed');
      assert.match(result.remedy, /Sealed Proxy: Restart/);
      assert.doesNotMatch(JSON.stringify(result), /secret\.example/);
    }
  });

  it('counts crashes', async () => {
    const { outcome, finding, remedy } = await check('Proxy process', { crashes: () => 2 });
    assert.deepEqual([outcome, finding], ['passed', 'Running, version 1.2.3. Crashes within three minutes: 2.']);
    assert.match(remedy, /Show Log/);
  });

  it('reports which program owns the port', async () => {
    const own = { kind: 'own', report: { version: '1.2.3' } } as Probe;
    const HELD = 'Port 1: held by another program';
    for (const [status, found, outcome, finding] of [
      [RUNNING, own, 'passed', 'Port 1: Sealed Proxy 1.2.3 (this editor)'],
      [
        { kind: 'otherVersion', port: 1, version: '9', isNewer: true },
        own,
        'failed',
        'Port 1: Sealed Proxy 1.2.3 (another window)',
      ],
      [RUNNING, { kind: 'free' }, 'failed', 'Port 1: nothing listens, although the proxy is running'],
      [{ kind: 'off' }, { kind: 'free' }, 'passed', 'Port 1: free'],
      [{ kind: 'portTaken', port: 1, by: 'silent' }, { kind: 'free' }, 'failed', HELD],
      [{ kind: 'portTaken', port: 1, by: 'system' }, { kind: 'free' }, 'failed', 'Port 1: reserved by the system'],
      [{ kind: 'off' }, { kind: 'held', by: 'program' }, 'failed', HELD],
      [{ kind: 'off' }, { kind: 'foreign', isSealedProxy: false }, 'failed', 'Port 1: used by another program'],
      [
        { kind: 'off' },
        { kind: 'foreign', isSealedProxy: true },
        'failed',
        'Port 1: used by a Sealed Proxy of another editor or computer',
      ],
      [{ kind: 'off' }, { kind: 'unresponsive' }, 'failed', 'Port 1: used by a program that does not respond'],
    ] as const) {
      const result = await check('Port owner', { status: () => status, probe: () => Promise.resolve(found) });
      assert.deepEqual([result.outcome, result.finding], [outcome, finding]);
    }
  });

  it('gives the same advice in both checks of a port that is taken', async () => {
    for (const [by, found] of [
      ['program', { kind: 'foreign', isSealedProxy: false }],
      ['sealedProxy', { kind: 'foreign', isSealedProxy: true }],
      ['unresponsive', { kind: 'unresponsive' }],
      ['silent', { kind: 'free' }],
      ['system', { kind: 'held', by: 'system' }],
    ] as const) {
      const change = {
        status: () => ({ kind: 'portTaken', port: 1, by }) as const,
        probe: () => Promise.resolve(found),
      };
      const [process, owner] = [await check('Proxy process', change), await check('Port owner', change)];
      assert.match(owner.remedy, /Use a Free Port/);
      assert.equal(process.remedy, owner.remedy, by);
    }
  });

  it('does not probe a port that is not chosen yet', async () => {
    const { settings } = makeContext();
    const probe = () => Promise.reject(new Error('probed'));
    const change = { status: () => ({ kind: 'off' }) as const, settings: () => ({ ...settings(), port: 0 }), probe };
    for (const name of ['Port owner', 'Connection to 127.0.0.1', 'Connection to ::1'])
      assert.equal((await check(name, change)).outcome, 'skipped');
  });

  it('counts the access keys', async () => {
    for (const [accessKeys, finding] of [
      [1, "1 (the extension's own)"],
      [3, "3, including the extension's own"],
    ] as const) {
      const keys = () => Promise.resolve({ hasApiKey: true, accessKeys });
      assert.equal((await check('Access keys', { keys })).finding, finding);
    }
  });

  it('fails if other programs would send requests for 127.0.0.1 to an HTTP proxy, and shows no password', async () => {
    const url = 'http://user:the-password@proxy.example:8080';
    for (const [environment, outcome] of [
      [{ http_proxy: url }, 'failed'],
      [{ HTTP_PROXY: url, no_proxy: 'localhost,.example' }, 'failed'],
      [{ HTTP_PROXY: url, NO_PROXY: '127.0.0.1', no_proxy: 'localhost' }, 'failed'],
      [{ ALL_PROXY: url, NO_PROXY: 'localhost, 127.0.0.1' }, 'passed'],
      [{ http_proxy: url, no_proxy: '*' }, 'passed'],
      [{ https_proxy: url }, 'passed'],
      [{ http_proxy: ' ' }, 'passed'],
    ] as const) {
      const result = await check('Proxy environment variables', { environment });
      assert.equal(result.outcome, outcome, JSON.stringify(environment));
      assert.doesNotMatch(JSON.stringify(result), /the-password|user/);
    }
  });
});
