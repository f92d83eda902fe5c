import assert from 'node:assert/strict';
import { listenFailure } from '../../../../src/proxy/hosts/commandLineHost.ts';
import { EXIT } from '../../../../src/proxy/hosts/exit.ts';

describe('listenFailure()', () => {
  const address = { host: '127.0.0.1', port: 80 };
  const failure = (code: string) => {
    return listenFailure(Object.assign(new Error('x'), { code }), address, (name) => `the ${name} setting`);
  };

  it('gives the exit code, the setting, and advice that names it', () => {
    const taken = failure('EADDRINUSE');
    assert.deepEqual([taken.exitCode, taken.setting], [EXIT.portTaken, 'port']);
    assert.match(taken.sentence, /^port 80 on 127\.0\.0\.1 is taken: .* set the port setting to another port/);
    const unknown = failure('EADDRNOTAVAIL');
    assert.deepEqual([unknown.exitCode, unknown.setting], [EXIT.failed, 'host']);
    assert.match(unknown.sentence, /^this computer has no address 127\.0\.0\.1: set the host setting/);
    const rights = failure('EACCES');
    assert.deepEqual([rights.exitCode, rights.setting], [EXIT.failed, 'port']);
    assert.match(rights.sentence, /set the port setting to a port above 1023$/);
  });

  it('shows the code of a rare cause', () => {
    const { exitCode, sentence } = failure('EAFNOSUPPORT');
    assert.equal(exitCode, EXIT.failed);
    assert.match(sentence, /EAFNOSUPPORT.*the host setting/);
  });
});
