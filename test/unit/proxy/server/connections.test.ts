import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { Connections, MAX_CONNECTIONS } from '../../../../src/proxy/server/connections.ts';
import type { ClientConnection } from '../../../../src/proxy/server/connections.ts';

describe('Connections', () => {
  let connections: Connections;
  let closed: number;

  beforeEach(() => {
    closed = 0;
    connections = new Connections(() => closed++);
  });

  const open = () => connections.add(new Socket());
  const openMany = (count: number, use: (connection: ClientConnection) => void = () => undefined) =>
    Array.from({ length: count }, () => {
      const connection = open();
      use(connection);
      return connection;
    });
  const isOpen = ({ socket }: ClientConnection) => !socket.destroyed;

  it('are never more than the limit: a new one replaces the one that was not used for the longest time', () => {
    const all = openMany(MAX_CONNECTIONS);
    assert.ok(all.every(isOpen));
    openMany(2);
    assert.deepEqual(all.slice(0, 4).map(isOpen), [false, false, true, true]);
    assert.equal([...connections].length, MAX_CONNECTIONS);
    assert.equal(closed, 2);
  });

  it('with a key stay open, however many come without one', () => {
    const own = openMany(100, (connection) => {
      connection.usedBy('a');
    });
    openMany(5000);
    assert.ok(own.every(isOpen));
  });

  it('of one key do not displace those of another, or those that are still without one', () => {
    const own = openMany(3, (connection) => {
      connection.usedBy('a');
    });
    const waiting = openMany(100);
    openMany(5000, (connection) => {
      connection.usedBy('b');
    });
    assert.ok([...own, ...waiting].every(isOpen));
  });

  it('stay open while they relay a request, and are closed in the order of their latest use', () => {
    const all = openMany(MAX_CONNECTIONS, (connection) => {
      connection.beginRelay('a');
    });
    const [first, second, third] = all;
    for (const connection of [third, first, second]) connection?.endRelay();
    open();
    assert.deepEqual(
      [first, second, third].map((connection) => connection && isOpen(connection)),
      [true, true, false],
    );
    open();
    assert.deepEqual(
      [first, second].map((connection) => connection && isOpen(connection)),
      [false, true],
    );
  });

  it('are more than the limit if all of them relay a request', () => {
    const all = openMany(MAX_CONNECTIONS, (connection) => {
      connection.beginRelay('a');
    });
    all.push(open());
    assert.ok(all.slice(0, -1).every(isOpen));
  });

  it('of one caller are closed in the order of their latest use', () => {
    const [first, ...others] = openMany(MAX_CONNECTIONS, (connection) => {
      connection.usedBy('a');
    });
    first?.usedBy('a');
    open();
    assert.deepEqual(
      [first, others[0]].map((connection) => connection && isOpen(connection)),
      [true, false],
    );
  });

  it('go on with another socket', () => {
    const connection = open();
    const { socket } = connection;
    const encrypted = new Socket();
    connections.replace(connection, encrypted);
    assert.equal(connections.get(socket), undefined);
    assert.equal(connections.get(encrypted), connection);
    assert.equal([...connections].length, 1);
  });

  it('forget one that its client closed', async () => {
    const { socket } = openMany(MAX_CONNECTIONS)[0] ?? assert.fail();
    socket.destroy();
    await once(socket, 'close');
    assert.equal(connections.get(socket), undefined);
    open();
    assert.equal(closed, 0);
  });
});
