import assert from 'node:assert/strict';
import type { SidePrompt } from '../../../src/chat/sidePrompts/mark.ts';
import type { NamedResult } from '../../../src/diagnostics/check.ts';
import { diagnosticsReport } from '../../../src/diagnostics/report.ts';
import { HOST } from '../../support/diagnostics.ts';

describe('diagnosticsReport()', () => {
  const reportOf = (finding: string, secrets: readonly string[] = []) =>
    diagnosticsReport([{ name: 'x', outcome: 'failed', finding, remedy: 'Do it.' }], HOST, secrets);

  it('has a row for each check, and describes where the checks ran', () => {
    const text = reportOf('broken');
    assert.match(text, /\| ✗ \| x \| broken \| Do it\. \|/);
    for (const part of [
      'Sealed Proxy 1.2.3',
      'Visual Studio Code 1.125.0',
      'Node 24.0.0',
      'linux x64',
      'remote: no ',
    ]) {
      assert.ok(text.includes(part), part);
    }
  });

  it('names the commit, and the hashes of the installed programs', () => {
    const text = reportOf('broken');
    assert.ok(text.includes('\nBuilt from commit c0ffee.\n'), text);
    assert.ok(text.includes('\n| proxy.js | ab12 |\n'), text);
  });

  it('starts with the result', () => {
    const firstLine = (...outcomes: NamedResult['outcome'][]) => {
      const results = outcomes.map((outcome) => ({ name: 'x', outcome, finding: 'y', remedy: '' }));
      return diagnosticsReport(results, HOST, []).split('\n')[2];
    };
    assert.equal(firstLine('passed', 'passed'), '**All checks passed.**');
    assert.equal(firstLine('passed', 'skipped'), '**1 check passed; 1 skipped.**');
    assert.equal(firstLine('passed', 'skipped', 'passed'), '**2 checks passed; 1 skipped.**');
    assert.equal(firstLine('failed', 'passed'), '**1 of 2 checks failed.**');
    assert.equal(firstLine('failed', 'skipped', 'failed'), '**2 of 3 checks failed; 1 skipped.**');
  });

  it('adds warnings to the result', () => {
    const result = { name: 'x', outcome: 'passed', finding: 'y', remedy: '', warning: 'Look out.' } as const;
    assert.ok(diagnosticsReport([result], HOST, []).includes('\n**All checks passed. Look out.**\n'));
  });

  it('names the failed checks before the table, masked and escaped like the table', () => {
    const results: readonly NamedResult[] = [
      { name: 'Good', outcome: 'passed', finding: 'fine', remedy: '' },
      { name: 'Bad', outcome: 'failed', finding: 'a|b the-secret', remedy: 'Do it.' },
      { name: 'Worse', outcome: 'failed', finding: '[a](command:x).', remedy: '' },
    ];
    const [before = ''] = diagnosticsReport(results, HOST, ['the-secret']).split('\n| |');
    assert.deepEqual(before.match(/^- .*$/gm), [
      '- **Bad**: a\\|b ••••••••. Do it.',
      '- **Worse**: \\[a\\](command:x).',
    ]);
    assert.match(before, /2 of 3 checks failed\.\*\*\n\n- /);
  });

  it('lists side prompts with their marks, masked and escaped', () => {
    const mark = { kind: 'goesTo', recipient: 'A|B', ifSignedIn: false } as const;
    const text = diagnosticsReport(
      [],
      HOST,
      ['the-secret'],
      [{ title: 'Titles', mark, reason: 'the-secret [a](b)', settings: [] }],
    );
    assert.match(
      text,
      /## Side prompts of VS Code's chat\n\n.*can send these prompts: 1 goes to A\\\|B\. One of .*: Titles\. "/,
    );
    assert.ok(text.includes('\n| Titles | goes to A\\|B | •••••••• \\[a\\](b) |\n'), text);
  });

  it('has one line for side prompts that are all off for the same reason', () => {
    const off = { mark: { kind: 'off' }, reason: 'AI is off.', settings: [] } as const;
    const section = (...prompts: readonly SidePrompt[]) => diagnosticsReport([], HOST, [], prompts);
    const one = section({ title: 'Titles', ...off }, { title: 'Ghost text', ...off });
    assert.match(one, /## Side prompts of VS Code's chat\n\nVS Code sends none\. AI is off\.\n\n/);
    assert.doesNotMatch(one, /\| Titles/);
    assert.match(section({ title: 'Titles', ...off }, { title: 'Ghost text', ...off, reason: 'Other.' }), /\| Titles/);
  });

  it('says that side prompts could not be read, and has no section without any', () => {
    assert.match(diagnosticsReport([], HOST, [], 'notRead'), /VS Code did not report its models in time\./);
    assert.doesNotMatch(diagnosticsReport([], HOST, [], []), /Side prompts/);
  });

  it('names what sends prompts, by verdict, as text', () => {
    const senders = [
      { word: 'Not sealed', names: 'A|B, [C](command:x)' },
      { word: 'Sealed', names: 'D' },
    ];
    const text = diagnosticsReport([], HOST, [], [], senders);
    const [, lines] =
      /## Where prompts go\n\n([^]*?)\n\n"Sealed Proxy: Show Where Prompts Go" says why\./.exec(text) ?? [];
    assert.equal(lines, '- **Not sealed**: A\\|B, \\[C\\](command:x)\n- **Sealed**: D');
    assert.doesNotMatch(diagnosticsReport([], HOST, [], []), /Where prompts go/);
  });

  it('does not contain the address of a remote host', () => {
    const text = diagnosticsReport([], { ...HOST, remote: 'host.example:80' }, []);
    assert.match(text, /remote: yes/);
    assert.doesNotMatch(text, /host\.example/);
  });

  it('masks all known secrets, and everything that looks like a key', () => {
    const key = `sealed-${'k'.repeat(43)}`;
    const text = reportOf(`${key} sk-abcdefgh12345678 Authorization: Bearer abc.def https://me:pass@host/ dev-secret`, [
      'dev-sec',
      'dev-secret',
    ]);
    assert.doesNotMatch(text, /kkkk|abcdefgh|abc\.def|pass@|dev-secret/);
    assert.match(text, / •{8} •{8} Authorization: Bearer •{8} https:\/\/•{8}@host\/ •{8} /);
  });

  it('escapes Markdown and HTML in messages', () => {
    const text = reportOf('[a](command:x) ![b](c) <img src=x> | y\n| z `code` &lt;');
    assert.ok(text.includes('\\[a\\](command:x) !\\[b\\](c) \\<img src=x\\> \\| y \\| z \\`code\\` \\&lt;'), text);
    assert.equal(text.match(/^\| ✗/gm)?.length, 1);
  });
});
