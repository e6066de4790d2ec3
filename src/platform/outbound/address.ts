import ipaddr from 'ipaddr.js';

/** All that is routed on the public IPv6 internet; translated, mapped and local addresses lie outside of it. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** Host services of Azure answer on this public address, from inside of a virtual machine alone. */
const AZURE_WIRE_SERVER = '168.63.129.16';

/**
 * Whether an address belongs to the public internet: not to this machine, its networks, a cloud's metadata service,
 * documentation, or another protocol's address space.
 * @param address as the resolver or a URL spells it; anything but an address is not public.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv6
    ? parsed.match(GLOBAL_UNICAST)
    : parsed.toString() !== AZURE_WIRE_SERVER;
}
