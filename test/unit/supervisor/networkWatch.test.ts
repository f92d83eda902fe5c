import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { watchNetwork } from '../../../src/supervisor/networkWatch.ts';

describe('watchNetwork()', () => {
  let addresses: string;
  let changes: number;
  let end: () => void;

  beforeEach(() => {
    mock.timers.enable({ apis: ['Date', 'setInterval'], now: 1_000_000 });
    [addresses, changes] = ['192.0.2.1', 0];
    end = watchNetwork(
      () => {
        changes++;
      },
      () => addresses,
    );
  });

  afterEach(() => {
    end();
  });

  /** The clock goes on, and every timer fires in time. */
  const wait = (milliseconds: number) => {
    for (let passed = 0; passed < milliseconds; passed += 5000) mock.timers.tick(5000);
  };

  it('reports nothing while the addresses stay the same', () => {
    wait(60_000);
    assert.equal(changes, 0);
  });

  it('reports once that an address came, and once that it went', () => {
    addresses = '';
    mock.timers.tick(5000);
    assert.equal(changes, 1);
    wait(60_000);
    assert.equal(changes, 1);
    addresses = '192.0.2.1';
    mock.timers.tick(5000);
    assert.equal(changes, 2);
  });

  it('reports that the computer has slept', () => {
    mock.timers.setTime(1_000_000 + 60_000); // no timer fires while the computer sleeps
    mock.timers.tick(5000);
    assert.equal(changes, 1);
    wait(60_000);
    assert.equal(changes, 1);
  });

  it('reports nothing after its end', () => {
    end();
    addresses = 'other';
    wait(60_000);
    assert.equal(changes, 0);
  });

  it('still notices sleep where the system forbids to list the addresses', () => {
    let woken = 0;
    const endWatch = watchNetwork(
      () => {
        woken++;
      },
      () => {
        throw Object.assign(new Error('uv_interface_addresses'), { code: 'ERR_SYSTEM_ERROR' });
      },
    );
    wait(60_000);
    assert.equal(woken, 0);
    mock.timers.setTime(2_000_000);
    mock.timers.tick(5000);
    assert.equal(woken, 1);
    endWatch();
  });

  it('reads the addresses of this computer', () => {
    watchNetwork(() => assert.fail('changed'))();
  });
});
