import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';
import { ConfigError } from '../platform/config/error.js';

/**
 * The address to listen on: of a network such as `172.29.83.0/24`, that which this machine has in it; anything else is
 * one already. A container has an address in each of its networks, and only a network's own is known beforehand.
 * @throws ConfigError when this machine is not in the network.
 */
export function metricsAddress(host: string, interfaces = networkInterfaces()): string {
  if (!host.includes('/')) return host;
  const network = ipaddr.parseCIDR(host);
  const addresses = Object.values(interfaces).flatMap((each) => (each ?? []).map(({ address }) => address));
  const found = addresses.find((address) => {
    const parsed = ipaddr.parse(address);
    return parsed.kind() === network[0].kind() && parsed.match(network);
  });
  if (found === undefined)
    throw new ConfigError(`METRICS_HOST is ${host}, but this machine has no address in it`);
  return found;
}
