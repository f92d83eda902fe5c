import assert from 'node:assert/strict';
import { describeStatus, statusBarText, summaryOf } from '../../../src/presentation/statusText.ts';
import { statusTooltip } from '../../../src/presentation/statusTooltip.ts';
import type { Cause, ProxyStatus } from '../../../src/shared/status.ts';
import { assertApproved, independent } from '../../support/approved.ts';
import { STATES, runningStatus, unreachableStatus } from '../../support/statuses.ts';

const CAUSES: readonly Cause[] = ['network', 'attestation', 'pcr0', 'clock', 'protocol', 'backend', 'newImage'];
const EVERYTHING = Object.values(STATES);

/** Everything that a user sees of a state: status bar, notification or screen reader, tooltip. */
function surfaces(status: ProxyStatus): string {
  const view = describeStatus(status);
  return [
    `bar:     ${statusBarText(view, false)}`,
    `compact: ${statusBarText(view, true)}`,
    `colour:  ${view.severity}`,
    `click:   ${view.click}`,
    `notice:  ${summaryOf(view)}`,
    'tooltip:',
    statusTooltip(status, view).replaceAll(/^(?=.)/gm, '  '),
  ].join('\n');
}

describe('describeStatus()', () => {
  it('shows each state as statusText.txt has it', () => {
    const sections = Object.entries(STATES).map(([name, status]) => `## ${name}\n\n${surfaces(status)}\n`);
    assertApproved('test/unit/presentation/statusText.txt', independent(sections.join('\n')));
  });

  it('never describes a development backend like a verified enclave', () => {
    for (const shared of [false, true]) {
      const real = describeStatus(runningStatus({ shared }));
      const development = describeStatus(runningStatus({ verified: { kind: 'development', moduleId: null }, shared }));
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
    assert.ok(shields.length > 0);
  });

  it('never describes a refused attestation as a network problem', () => {
    const network = describeStatus(unreachableStatus('network', { message: '' }));
    for (const cause of CAUSES.filter((other) => other !== 'network')) {
      const view = describeStatus(unreachableStatus(cause, { message: 'Refused' }));
      assert.notEqual(view.icon, network.icon);
      assert.notEqual(view.label, network.label);
      const text = `${statusBarText(view, false)} ${summaryOf(view)}`;
      assert.doesNotMatch(text, /unreachable|cannot (be )?reach|your network/i, cause);
    }
  });
});

describe('statusBarText()', () => {
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
      ...CAUSES.flatMap((cause) => awkward.map((message) => unreachableStatus(cause, { message }))),
    ];
    for (const status of statuses) {
      const summary = summaryOf(describeStatus(status));
      assert.doesNotMatch(summary, / {2}|\.\.|[?!]\.|undefined|null|NaN| $|\$\(|\{\d\}/, summary);
      assert.match(summary, /^.*Sealed Proxy.*[.?]$/);
    }
  });
});
