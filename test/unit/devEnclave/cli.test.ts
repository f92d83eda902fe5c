import assert from 'node:assert/strict';
import { parseCommandLine } from '../../../src/devEnclave/cli.ts';

describe('parseCommandLine()', () => {
  it('listens on any free port by default', () => {
    const command = parseCommandLine([]);
    assert.ok(command.kind === 'run');
    assert.equal(command.options.port, 0);
    assert.equal(command.options.recordFile, undefined);
  });

  it('accepts every option', () => {
    const args = '--port 8080 --pace 0 --forward http://127.0.0.1:1/base --record a.jsonl --faults redirect:1,no-start';
    const command = parseCommandLine(args.split(' '));
    assert.ok(command.kind === 'run');
    const { port, recordFile, faults } = command.options;
    assert.deepEqual(
      { port, recordFile, faults },
      { port: 8080, recordFile: 'a.jsonl', faults: 'redirect:1,no-start' },
    );
  });

  it('prints help and the list of faults', () => {
    const help = parseCommandLine(['--help']);
    assert.ok(help.kind === 'print');
    for (const word of ['--port', '--forward', '--record', '--faults', '--pace', '/burst'])
      assert.ok(help.text.includes(word));
    const faults = parseCommandLine(['--faults', 'list']);
    assert.ok(faults.kind === 'print' && faults.text.includes('swapped-records'));
  });

  const wrong = [
    '--port',
    '--port -1',
    '--port 65536',
    '--port 1e3',
    '--pace x',
    '--forward',
    '--forward ftp://a',
    '--forward http://user:pass@a',
    '--forward nowhere',
    '--faults nothing',
    '--faults bad-signature',
    '--host 0.0.0.0',
    'something',
  ];
  for (const args of wrong) {
    it(`rejects ${args} with a one-line reason`, () => {
      const command = parseCommandLine(args.split(' '));
      assert.ok(command.kind === 'refuse');
      assert.match(command.reason, /^.+$/);
    });
  }
});
