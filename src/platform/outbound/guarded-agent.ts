import dns from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Agent } from 'undici';

/** `dns.lookup` for all addresses of a name. */
export type Resolve = (
  hostname: string,
  options: dns.LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: dns.LookupAddress[]) => void,
) => void;

/** A host has an address that is not public. */
export class PrivateAddressError extends Error {
  override name = 'PrivateAddressError';

  constructor() {
    super('its address is not public');
  }
}

/** Whether an address may be connected to: `isPublicAddress`, or any. */
export type Accepts = (address: string) => boolean;

export const anyAddress: Accepts = () => true;

export interface AgentOptions extends Agent.Options {
  accepts: Accepts;
  connectTimeoutMs: number;
  resolve?: Resolve | undefined;
}

/**
 * An agent that connects to accepted addresses alone. Each address that a name resolves to is checked at the moment of
 * connecting, so that a name cannot lead elsewhere between check and use. No lookup happens for an address in a URL: call
 * `checkHost` for it before each request.
 * @throws PrivateAddressError as the cause of what a request throws.
 */
export function guardedAgent({ accepts, connectTimeoutMs, resolve, ...options }: AgentOptions): Agent {
  return new Agent({
    ...options,
    connect: { lookup: lookupWith(resolve ?? dns.lookup, accepts), timeout: connectTimeoutMs },
  });
}

function lookupWith(resolve: Resolve, accepts: Accepts): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error || first === undefined) callback(error ?? notFound(hostname), []);
      else if (!addresses.every(({ address }) => accepts(address))) callback(new PrivateAddressError(), []);
      else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

const notFound = (hostname: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND' });

/**
 * Checks an address that a URL names itself. The URL parser has spelled numbers of every kind as dotted decimals by now.
 * @throws PrivateAddressError
 */
export function checkHost({ hostname }: URL, accepts: Accepts): void {
  const literal = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(literal) !== 0 && !accepts(literal)) throw new PrivateAddressError();
}

/** Statuses whose `Location` leads to what was asked for. */
export const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Whether a private address caused an error. */
export function isPrivateAddress(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof PrivateAddressError) return true;
  return false;
}
