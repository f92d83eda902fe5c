import assert from 'node:assert/strict';
import { SocketError, takeSocket } from '../../../../src/proxy/hosts/socketActivation.ts';

const PID = 4711;

describe('takeSocket()', () => {
  const take = (variables: Record<string, string>) => {
    const environment: Record<string, string | undefined> = { PATH: '/bin', ...variables };
    return { socket: takeSocket(environment, PID), environment };
  };

  it('is the first descriptor after the standard ones, and removes the variables', () => {
    const { socket, environment } = take({ LISTEN_PID: String(PID), LISTEN_FDS: '1', LISTEN_FDNAMES: 'http' });
    assert.equal(socket, 3);
    assert.deepEqual(environment, { PATH: '/bin' });
  });

  it('is undefined without a socket, and for one of another process, whose variables go too', () => {
    for (const variables of [
      {},
      { LISTEN_PID: String(PID) },
      { LISTEN_PID: String(PID), LISTEN_FDS: '0' },
      { LISTEN_FDS: '1' },
      { LISTEN_PID: String(PID + 1), LISTEN_FDS: '1' },
      { LISTEN_PID: `${PID}x`, LISTEN_FDS: '2' },
    ]) {
      assert.deepEqual(take(variables), { socket: undefined, environment: { PATH: '/bin' } });
    }
  });

  it('refuses several sockets, and a number that is none', () => {
    for (const count of ['2', '17', '-1', 'x', '01']) {
      assert.throws(() => take({ LISTEN_PID: String(PID), LISTEN_FDS: count }), SocketError);
    }
    assert.throws(
      () => take({ LISTEN_PID: String(PID), LISTEN_FDS: '2' }),
      /several sockets \(LISTEN_FDS=2\): the \.socket unit needs exactly one ListenStream=/,
    );
  });
});
