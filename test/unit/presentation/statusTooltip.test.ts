import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describeStatus } from '../../../src/presentation/statusText.ts';
import { glossaryLink, statusTooltip } from '../../../src/presentation/statusTooltip.ts';
import type { ProxyStatus } from '../../../src/shared/status.ts';
import { VERSION } from '../../../src/shared/version.ts';
import { fromRoot } from '../../support/e2e/process.ts';
import { VERIFIED, runningStatus, unreachableStatus } from '../../support/statuses.ts';

const tooltip = (status: ProxyStatus, sidePrompts = '') => statusTooltip(status, describeStatus(status), sidePrompts);

// What it shows in each state is in statusText.txt.
describe('statusTooltip()', () => {
  it('says of which version the proxy is only once if this window has the same one', () => {
    const line = tooltip(runningStatus({ version: VERSION }))
      .split('\n')
      .find((row) => row.startsWith('| Version'));
    assert.equal(line, `| Version | ${VERSION} |`);
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

  it('shows text from outside as text', () => {
    const message = 'See [this](command:workbench.action.quit) $(shield) | **x**';
    const shown = tooltip(unreachableStatus('attestation', { message }));
    assert.ok(shown.includes('\\[this\\](command:workbench.action.quit) \\$(shield) \\| \\*\\*x\\*\\*.'), shown);
    const hostile = tooltip(runningStatus({ verified: { ...VERIFIED, moduleId: 'i`|[x](y)' } }));
    assert.ok(hostile.includes(' | i\\`\\|\\[x\\](y) |'), hostile);
  });
});

const read = (path: string) => readFileSync(fromRoot(path), 'utf8');
const anchors = [...read('docs/glossary.md').matchAll(/^## (.*)$/gm)].map(([, title = '']) =>
  title.toLowerCase().replaceAll(' ', '-'),
);

describe('glossaryLink()', () => {
  it('links a term, or a text about it, to its heading', () => {
    assert.match(glossaryLink('Access key'), /^\[Access key\]\(https:\S+\/docs\/glossary\.md#access-key\)$/);
    assert.match(glossaryLink('Session', 'Session since'), /^\[Session since\]\(https:\S+#session\)$/);
  });

  it('has the same form as the links in package.json', () => {
    const links = [...read('package.json').matchAll(/https:[^\s)"]*glossary\.md#([\w-]+)/g)];
    assert.ok(links.length > 0);
    for (const [link, term = ''] of links) {
      assert.ok(anchors.includes(term), link);
      assert.equal(glossaryLink(term), `[${term}](${link})`);
    }
  });
});
