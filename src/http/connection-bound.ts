import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf, parseAddress } from '../platform/access/client-address.js';

/** Limits the connections of each network: a new one above the limit replaces the oldest idle one. Those of proxies are not limited. */
export function boundConnections(server: Server, perNetwork: number, isProxy: (address: string) => boolean) {
  const networks = new Map<string, Set<Socket>>();
  server.on('connection', (socket) => {
    const address = parseAddress(socket.remoteAddress ?? '') ?? '';
    if (isProxy(address)) return;
    const network = networkOf(address);
    const sockets = networks.get(network) ?? new Set();
    networks.set(network, sockets.add(socket));
    socket.once('close', () => {
      sockets.delete(socket);
      if (sockets.size === 0) networks.delete(network);
    });
    if (sockets.size <= perNetwork) return;
    const replaced = [...sockets].find((one) => !responseOf(one)) ?? socket;
    sockets.delete(replaced);
    replaced.destroy();
  });
}

/** The response that is in progress on a socket. `_httpMessage` is the name that Node.js has for it. */
export const responseOf = (socket: Socket): ServerResponse | null =>
  (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage ?? null;
