import assert from 'node:assert/strict';
import { connectionSection } from '../../../src/dashboard/connection.ts';
import { describeStatus } from '../../../src/presentation/statusText.ts';
import { VERSION } from '../../../src/shared/version.ts';
import { AT, STATES, runningStatus } from '../../support/statuses.ts';

describe('connectionSection()', () => {
  it('describes every state as the status bar does, and offers the same commands', () => {
    for (const status of Object.values(STATES)) {
      const { headline, detail, actions } = connectionSection(status, {});
      const view = describeStatus(status);
      assert.deepEqual([headline, detail, actions], [view.headline, view.detail, view.actions]);
    }
  });

  it('is green only while it is connected to a verified enclave, and as urgent as the status bar otherwise', () => {
    const tones = Object.entries(STATES).map(
      ([name, status]) => [connectionSection(status, {}).tone, name, status] as const,
    );
    for (const [tone, name, status] of tones) {
      const { severity, icon } = describeStatus(status);
      const calm = icon === 'shield' ? 'good' : 'neutral';
      assert.equal(tone, severity === 'none' ? calm : severity, name);
    }
    assert.deepEqual(new Set(tones.map(([tone]) => tone)), new Set(['neutral', 'warning', 'error', 'good']));
  });

  it('leads to the remedy of a failure, to the chat while connected, and to nothing while there is only to wait', () => {
    const primaryOf = (name: string) => connectionSection(STATES[name] ?? { kind: 'off' }, {}).primary;
    const expected = {
      off: 'start',
      starting: null,
      checking: null,
      'about to restart after a crash': 'restart',
      'failed to start': 'restart',
      'wrong setting': 'openSettings',
      'port taken: program': 'useFreePort',
      'newer version in another window': 'reloadWindow',
      'no API key': 'setApiKey',
      'key refused': 'setApiKey',
      slow: 'checkConnection',
      'unreachable: network': 'diagnose',
      'unreachable: attestation': 'checkConnection',
      'unreachable: pcr0': 'showAttestation',
      'unreachable: protocol': 'openSettings',
      'without the list of images': 'diagnose',
      'new image': 'reviewImage',
      'new image beside a session with another one': 'reviewImage',
      'connected to a verified enclave': 'openChat',
      'connected to a development backend': 'openChat',
      'connected while the enclave is verified again': 'openChat',
    };
    assert.deepEqual(Object.fromEntries(Object.keys(expected).map((name) => [name, primaryOf(name)])), expected);
  });

  it('lists the facts of a running proxy, the models for chat as the user has set them, and the others', () => {
    const catalogue = { data: [{ id: 'a', name: 'A' }] };
    const status = runningStatus({ health: { kind: 'connected', models: ['a', 'b'], catalogue, checkedAt: AT } });
    const shown = connectionSection(status, { a: { contextWindow: 64_000, maxOutputTokens: 4000 } });
    assert.ok(shown.facts.some(({ name, value }) => name === 'PCR0' && value === 'abababab…abababab'));
    assert.equal(shown.facts.find(({ name }) => name === 'Models')?.value, '1 chat model, 1 other');
    const [model] = shown.chatModels;
    assert.deepEqual([model?.id, model?.maxInputTokens, model?.maxOutputTokens], ['a', 60_000, 4000]);
    assert.deepEqual([shown.chatModels.length, shown.otherModels], [1, ['b']]);
  });
  it('says that the proxy is that of another window, and of which version it is if that differs', () => {
    const factsOf = (change: Parameters<typeof runningStatus>[0]) =>
      new Map(connectionSection(runningStatus(change), {}).facts.map(({ name, value }) => [name, value]));
    const own = factsOf({ version: VERSION });
    assert.deepEqual([own.get('Proxy'), own.get('Version')], [undefined, VERSION]);
    const other = factsOf({ version: '0.0.1', shared: true });
    assert.deepEqual(
      [other.get('Proxy'), other.get('Version')],
      ['running in another window', `0.0.1 (this window has ${VERSION})`],
    );
  });

  it('says of a development backend that it is not verified', () => {
    const status = runningStatus({ verified: { kind: 'development', moduleId: null } });
    const { facts } = connectionSection(status, {});
    assert.ok(facts.some(({ name, value }) => name === 'Attestation' && value.startsWith('not verified')));
    assert.ok(!facts.some(({ name }) => name === 'PCR0'));
  });
});
