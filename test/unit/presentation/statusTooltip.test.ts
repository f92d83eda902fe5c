import assert from 'node:assert/strict';
import { describeStatus } from '../../../src/presentation/statusText.ts';
import { statusTooltip, tooltipCommands } from '../../../src/presentation/statusTooltip.ts';
import type { TooltipFacts } from '../../../src/presentation/statusTooltip.ts';
import type { ProxyStatus } from '../../../src/shared/status.ts';
import { STATES, runningStatus, unreachableStatus } from '../../support/statuses.ts';

const tooltip = (status: ProxyStatus, facts: TooltipFacts = {}) => statusTooltip(status, describeStatus(status), facts);

// What it shows in each state is in statusText.txt.
describe('statusTooltip()', () => {
  it('warns in one sentence of side prompts that go to others, with a link that helps', () => {
    const fix = '[Fix…](command:sealedProxy.keepChatSealed)';
    const warning = (...unsealed: string[]) => tooltip(runningStatus(), { unsealed }).split('\n\n')[1];
    assert.equal(warning('a', 'b', 'c'), `$(warning) 3 of VS Code's side prompts leave this computer unsealed. ${fix}`);
    const one = "One of VS Code's side prompts leaves this computer unsealed when it is used: Dictation.";
    assert.equal(warning('Dictation'), `$(warning) ${one} ${fix}`);
    assert.doesNotMatch(tooltip(runningStatus(), { unsealed: [] }), /side prompts|keepChatSealed/);
  });

  it('shows the requests and tokens of today, if there are any and this window is told of them', () => {
    const lineOf = (facts: TooltipFacts) => /^Today: .*$/m.exec(tooltip(runningStatus(), facts))?.[0];
    const thousand = (1000).toLocaleString();
    assert.equal(
      lineOf({ today: { requests: 2, tokensIn: 1000, tokensOut: 34 } }),
      `Today: 2 requests, ${thousand} tokens in, 34 tokens out`,
    );
    const one = { requests: 1, tokensIn: 1, tokensOut: 1 };
    assert.equal(lineOf({ today: one }), 'Today: 1 request, 1 token in, 1 token out');
    assert.equal(lineOf({ today: { requests: 0, tokensIn: 0, tokensOut: 0 } }), undefined);
    assert.equal(lineOf({ today: undefined }), undefined);
  });

  it('opens a setting that a sentence names', () => {
    const shown = tooltip(unreachableStatus('network', { message: 'It was refused' }));
    const [, name, argument = ''] = /\[(http\.proxy)\]\(command:sealedProxy\.openSettings\?(.*?)\)/.exec(shown) ?? [];
    assert.deepEqual([name, JSON.parse(decodeURIComponent(argument))], ['http.proxy', 'http.proxy'], shown);
  });

  it('shows text from outside as text', () => {
    const message = 'See [this](command:workbench.action.quit) $(shield) | **x**';
    const shown = tooltip(unreachableStatus('attestation', { message }));
    assert.ok(shown.includes('\\[this\\](command:workbench.action.quit) \\$(shield) \\| \\*\\*x\\*\\*.'), shown);
  });
});

describe('tooltipCommands()', () => {
  it('has the command of every link, each of which is there once, and three links in the last line', () => {
    for (const status of Object.values(STATES)) {
      const shown = tooltip(status, { unsealed: ['Dictation'] });
      const linked = [...shown.matchAll(/\(command:sealedProxy\.(\w+(?:\?[^)]*)?)\)/g)].map(([, name]) => name);
      const allowed: readonly string[] = tooltipCommands(describeStatus(status));
      for (const name of linked) assert.ok(name !== undefined && allowed.includes(name.replace(/\?.*/, '')), name);
      assert.equal(new Set(linked).size, linked.length, shown);
      assert.equal(shown.split('\n\n').at(-1)?.split(' · ').length, 3, shown);
    }
  });
});
