import assert from 'node:assert/strict';
import { throughChat, throughProxy } from '../../../src/promptMap/throughProxy.ts';

describe('throughProxy()', () => {
  it('says sealed only for a verified enclave', () => {
    const verdicts = (
      [
        { kind: 'enclave' },
        { kind: 'development' },
        { kind: 'nothing', why: '' },
        { kind: 'otherProgram', port: 7 },
        { kind: 'otherProxy', port: 7 },
      ] as const
    ).map((reach) => throughProxy(reach).verdict);
    assert.deepEqual(verdicts, ['sealed', 'development', 'blocked', 'elsewhere', 'unknown']);
  });
});

describe('throughChat()', () => {
  it('is blocked where another program has the port, because the chat sends nothing to it', () => {
    assert.equal(throughChat({ kind: 'otherProgram', port: 7 }).verdict, 'blocked');
    assert.equal(throughChat({ kind: 'enclave' }).verdict, 'sealed');
  });
});
