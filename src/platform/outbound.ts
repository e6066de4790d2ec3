import dns from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Agent } from 'undici';

/** All public IPv6 addresses, without translated, mapped and local ones. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** A public address that leads to host services inside a virtual machine of Azure, so it is treated as private. */
const AZURE_WIRE_SERVER = '168.63.129.16';

/** Whether an address is public: not of this machine, its networks, a cloud's metadata service, documentation or a protocol. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv6
    ? parsed.match(GLOBAL_UNICAST)
    : parsed.toString() !== AZURE_WIRE_SERVER;
}

/** Looks up all addresses of a host name, like `dns.lookup`. */
export type Resolve = (
  hostname: string,
  options: dns.LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: dns.LookupAddress[]) => void,
) => void;

/** How long a name server may take to answer, in milliseconds, and how often it is asked. */
const NAME_SERVER = { timeout: 1_000, tries: 2 };

/**
 * Creates a lookup that asks name servers itself. `dns.lookup` occupies one of two threads, so that two hosts with silent name servers
 * would stop all lookups. The file `hosts` is not read. @param servers by default those of this machine.
 */
export const createNameLookup =
  (servers?: readonly string[]): Resolve =>
  (hostname, _options, callback) => {
    // By RFC 6761, name servers are not asked for `localhost` and its subdomains.
    if (/(?:^|\.)localhost\.?$/i.test(hostname))
      return void process.nextTick(callback, null, [{ address: '127.0.0.1', family: 4 }]);
    // A new resolver reads the present settings of the machine.
    const resolver = new dns.promises.Resolver(NAME_SERVER);
    if (servers !== undefined) resolver.setServers(servers);
    void Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]).then(
      ([four, six]) => {
        const found = [
          ...(four.status === 'fulfilled' ? four.value.map((address) => ({ address, family: 4 })) : []),
          ...(six.status === 'fulfilled' ? six.value.map((address) => ({ address, family: 6 })) : []),
        ];
        const failed = four.status === 'rejected' ? (four.reason as NodeJS.ErrnoException) : null;
        callback(found.length === 0 ? failed : null, found);
      },
    );
  };

class PrivateAddressError extends Error {
  override name = 'PrivateAddressError';

  constructor() {
    super('its address is not public');
  }
}

/** Whether the service may connect to an address: `isPublicAddress` or `anyAddress`. */
export type AcceptsAddress = (address: string) => boolean;

export const anyAddress: AcceptsAddress = () => true;

interface GuardedAgentOptions extends Agent.Options {
  accepts: AcceptsAddress;
  connectTimeoutMs: number;
  resolve?: Resolve | undefined;
}

/** Creates an agent that checks every address of a name when connecting. An address in a URL is not looked up: call `checkHost` first. */
export function guardedAgent({ accepts, connectTimeoutMs, resolve, ...options }: GuardedAgentOptions): Agent {
  return new Agent({
    ...options,
    connect: { lookup: lookupWith(resolve ?? dns.lookup, accepts), timeout: connectTimeoutMs },
  });
}

/** Creates agents for hosts that clients or feeds choose. @param deadlineMs for connecting, headers, and each part of the body. */
export function createOutboundAgents(deadlineMs: number, resolve?: Resolve) {
  const limits = { connectTimeoutMs: deadlineMs, headersTimeout: deadlineMs, bodyTimeout: deadlineMs };
  const guarded = guardedAgent({
    accepts: isPublicAddress,
    resolve: resolve ?? createNameLookup(),
    ...limits,
  });
  /** For the hosts that the operator trusts. */
  const unguarded = guardedAgent({ accepts: anyAddress, resolve, ...limits });
  return {
    guarded,
    unguarded,
    async close() {
      await Promise.all([guarded.destroy(), unguarded.destroy()]);
    },
  };
}

function lookupWith(resolve: Resolve, accepts: AcceptsAddress): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error || first === undefined) callback(error ?? addressNotFound(hostname), []);
      else if (!addresses.every(({ address }) => accepts(address))) callback(new PrivateAddressError(), []);
      else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

const addressNotFound = (hostname: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND' });

/** Checks an address in a URL, which the URL parser has normalized. @throws PrivateAddressError */
export function checkHost({ hostname }: URL, accepts: AcceptsAddress): void {
  const literal = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(literal) !== 0 && !accepts(literal)) throw new PrivateAddressError();
}

/** The HTTP status codes of a redirect to `Location`. */
export const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export function isPrivateAddress(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof PrivateAddressError) return true;
  return false;
}
