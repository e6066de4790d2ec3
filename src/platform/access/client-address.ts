import { createHmac, hash } from 'node:crypto';
import { isIP } from 'node:net';
import type { Application, Request } from 'express';
import { ipKeyGenerator } from 'express-rate-limit';
import ipaddr from 'ipaddr.js';
import type { Config } from '../config/config.js';

/** The number of characters of the longest IPv6 address in brackets with a port. */
const MAX_LENGTH = 54;

/** The canonical form of an address that a proxy states, perhaps in brackets or with a port. */
export function parseAddress(text: string): string | null {
  if (text.length > MAX_LENGTH) return null;
  const [, bracketed, dotted] = /^(?:\[([\da-f:.]+)\]|([\d.]+))(?::\d{1,5})?$/i.exec(text.trim()) ?? [];
  const address = bracketed ?? dotted ?? text.trim();
  // The zone of an IPv6 address (after `%`) may be any text, so addresses with a zone are rejected.
  return isIP(address) === 0 || address.includes('%') ? null : ipaddr.process(address).toString();
}

/** Makes Express trust `X-Forwarded-For` of these proxies, whose addresses are recognized in any notation. */
export function trustProxies(app: Application, proxies: Config['trustProxy']): void {
  app.set('trust proxy', proxies);
  const trusts = app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  app.set('trust proxy', (text: string, hop: number) => {
    const address = parseAddress(text);
    return address !== null && trusts(address, hop);
  });
}

/** The client's address; the peer's address if the proxies state none. */
export const addressOf = ({ ip = '', socket }: Request): string =>
  parseAddress(ip) ?? socket.remoteAddress ?? '';

/** The network of an address, which is one client: the IPv4 address, or the /48 of an IPv6 address, the most of one customer. */
export const networkOf = (address: string): string => ipKeyGenerator(address, 48);

/** The hashed counter of a client address: of the usual /56 of an IPv6 address; for wrong admin secrets, of its network. */
export const addressCounter = (kind: 'address' | 'admin' | 'public', address: string): string =>
  `${kind}:${hash('sha256', kind === 'admin' ? networkOf(address) : ipKeyGenerator(address), 'base64url')}`;

const WEEK_MS = 7 * 86_400_000;
/** The digits of a visitor's pseudonym: 24 bits, so that about 256 IPv4 addresses share each pseudonym. */
const VISITOR_DIGITS = 6;

/** A pseudonym of a network for one week, which many share and nobody can compute without the secret of all instances. */
export function visitorOf(address: string, at: Date, secret: string): string {
  const week = Math.floor(at.getTime() / WEEK_MS);
  return createHmac('sha256', secret)
    .update(`visitor ${week} ${networkOf(address)}`)
    .digest('hex')
    .slice(0, VISITOR_DIGITS);
}
