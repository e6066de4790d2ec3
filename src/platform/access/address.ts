import { isIP } from 'node:net';
import type { Application, Request } from 'express';
import ipaddr from 'ipaddr.js';
import type { Config } from '../config/config.js';

/** The longest IPv6 address in brackets and with a port. */
const LONGEST = 54;

/**
 * The address in what a proxy writes, in its usual form: some write a port behind it, and brackets around an IPv6 one.
 * null: it is none.
 */
export function parseAddress(text: string): string | null {
  if (text.length > LONGEST) return null;
  const [, bracketed, dotted] = /^(?:\[([\da-f:.]+)\]|([\d.]+))(?::\d{1,5})?$/i.exec(text.trim()) ?? [];
  const address = bracketed ?? dotted ?? text.trim();
  // Not with a zone, which may be any text.
  return isIP(address) === 0 || address.includes('%') ? null : ipaddr.process(address).toString();
}

/** Has Express believe `X-Forwarded-For` of these proxies, however they write their own addresses in it. */
export function trustProxies(app: Application, proxies: Config['trustProxy']): void {
  app.set('trust proxy', proxies);
  const trusts = app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  app.set('trust proxy', (text: string, hop: number) => {
    const address = parseAddress(text);
    return address !== null && trusts(address, hop);
  });
}

/** The client's address; where proxies tell none, that of whoever has connected. */
export const addressOf = ({ ip = '', socket }: Request): string =>
  parseAddress(ip) ?? socket.remoteAddress ?? '';
