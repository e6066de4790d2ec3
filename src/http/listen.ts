import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConfigError } from '../platform/config/config.js';

/** Where a server that listens can be reached from this machine. */
export function urlOf(server: Server, listensOn: string): string {
  const { port } = server.address() as AddressInfo;
  const host = ['0.0.0.0', '::'].includes(listensOn) ? 'localhost' : listensOn;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Listens. @throws ConfigError naming the variable where the port cannot be had. */
export async function listen(
  server: Server,
  { port, host }: { port: number; host: string },
  variable: string,
) {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'EADDRINUSE' ? 'another process listens there' : 'the system does not allow it';
    throw new ConfigError(`${variable}: ${host}:${port} cannot be listened on: ${why} (${code})`);
  }
}
