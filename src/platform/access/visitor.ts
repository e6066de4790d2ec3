import { createHmac } from 'node:crypto';
import { ipKeyGenerator } from 'express-rate-limit';

const WEEK_MS = 7 * 86_400_000;
/** Hexadecimal digits: 24 bits, so that each value is that of some 256 IPv4 addresses. */
const DIGITS = 6;

/**
 * Tells the visitors of one week apart, and not who they are: what clicks are counted by. The same address has another
 * value each week, shares it with many others, and without the secret nobody can tell which these are.
 * @param secret the same for all instances.
 * @returns six hexadecimal digits; an IPv6 address has that of its /56, which one customer has to himself.
 */
export function visitorOf(address: string, at: Date, secret: string): string {
  const week = Math.floor(at.getTime() / WEEK_MS);
  return createHmac('sha256', secret)
    .update(`visitor ${week} ${ipKeyGenerator(address)}`)
    .digest('hex')
    .slice(0, DIGITS);
}
