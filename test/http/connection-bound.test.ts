import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { assert } from 'chai';
import { boundConnections } from '../../src/http/server.js';
import { until } from '../support/until.js';

describe('the connections of one network', () => {
  const LIMIT = 3;
  let server: Server;
  let held: ServerResponse[];
  let sockets: Socket[];
  let isProxy: boolean;

  beforeEach(async () => {
    [held, sockets, isProxy] = [[], [], false];
    server = createServer((_request, response) => void held.push(response)).listen(0, '127.0.0.1');
    boundConnections(server, LIMIT, () => isProxy);
    await once(server, 'listening');
  });
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
    server.closeAllConnections();
  });

  /** Connects, and waits until the server knows the connection. */
  async function open(): Promise<Socket> {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
    sockets.push(socket.resume());
    await once(server, 'connection');
    return socket;
  }
  const ask = (socket: Socket) => socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  const closed = (socket: Socket) => until(() => socket.closed);

  it('are limited: a new one replaces the oldest one without a request', async () => {
    const [first, second, third] = [await open(), await open(), await open()];
    ask(first);
    await until(() => held.length === 1);
    const fourth = await open();
    await closed(second);
    ask(fourth);
    await until(() => held.length === 2);
    held.shift()?.end();
    assert.deepEqual([first.closed, third.closed, fourth.closed], [false, false, false]);
  });

  it('are limited: a new one is closed if the others have requests in progress', async () => {
    for (let i = 0; i < LIMIT; i += 1) ask(await open());
    await until(() => held.length === LIMIT);
    await closed(await open());
    held.shift()?.end();
    await until(() => sockets.filter((socket) => !socket.closed).length === LIMIT);
    ask(await open());
    await until(() => held.length === LIMIT);
  });

  it('leave their places when they close', async () => {
    for (let i = 0; i < 4 * LIMIT; i += 1) {
      const socket = await open();
      ask(socket);
      await until(() => held.length === 1);
      socket.destroy();
      const response = held.pop();
      await until(() => response?.closed === true);
    }
  });

  it('are not limited if the network is that of a trusted proxy', async () => {
    isProxy = true;
    for (let i = 0; i < 3 * LIMIT; i += 1) await open();
    for (const socket of sockets) ask(socket);
    await until(() => held.length === 3 * LIMIT);
  });
});
