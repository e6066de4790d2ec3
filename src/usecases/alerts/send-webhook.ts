import { createHmac } from 'node:crypto';
import { fetch } from 'undici';
import type { Config } from '../../platform/config/config.js';
import {
  checkHost,
  createOutboundAgents,
  isPrivateAddress,
  isPublicAddress,
  type Resolve,
} from '../../platform/outbound.js';

/** A message for a receiver, as Standard Webhooks defines it. */
interface WebhookMessage {
  url: string;
  /** The id of the event, which is the same for every attempt. */
  id: string;
  body: string;
  /** The secrets that sign the message; several while a secret is being replaced. */
  secrets: readonly string[];
  at: Date;
}

/** Sends a message once. @returns why it failed, without any text of the receiver; null if the receiver took it. */
export type SendWebhook = (message: WebhookMessage) => Promise<string | null>;

const DEADLINE_MS = 5_000;
const USER_AGENT = 'product-catalogue-webhooks/1.0';

/** The ports to which webhooks may be sent on hosts that are not trusted. */
const PORTS = [443, 8_443];

/** The trusted hosts, for which http, any port and any address are allowed. */
export type WebhookTargets = Pick<Config, 'webhookAllowedHosts'>;

/** Returns why a URL may not receive webhooks; null if it may. Names are checked when connecting: their addresses may change. */
export function webhookUrlError(text: string, { webhookAllowedHosts }: WebhookTargets): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null) return 'not a URL';
  if (url.username !== '' || url.password !== '') return 'it contains a login';
  if (isAllowed(url, webhookAllowedHosts)) return null;
  if (url.protocol !== 'https:') return 'it is not https';
  // Other ports more likely belong to services such as SSH or a database than to a web server.
  if (!PORTS.includes(Number(url.port || 443))) return `its port is not ${PORTS.join(' or ')}`;
  try {
    checkHost(url, isPublicAddress);
    return isPublicName(url.hostname.replace(/\.$/, '')) ? null : 'its host is not public';
  } catch {
    return 'its address is not public';
  }
}

/** Whether a host may be public: an address, or a name with a dot that is not reserved for internal use. */
const isPublicName = (host: string): boolean =>
  host.startsWith('[') || (host.includes('.') && !/\.(localhost|local|internal)$/.test(host));

const isAllowed = ({ host, hostname, protocol }: URL, allowedHosts: readonly string[]): boolean =>
  ['http:', 'https:'].includes(protocol) && (allowedHosts.includes(host) || allowedHosts.includes(hostname));

/** Signs a message as Standard Webhooks defines it. @param secret `whsec_` and the key in base64. */
function signatureOf(message: string, secret: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(message).digest('base64')}`;
}

/** Creates a sender that connects to allowed targets only, follows no redirect and waits five seconds at most. */
export function createWebhookSender(options: {
  targets: WebhookTargets;
  resolve?: Resolve;
  deadlineMs?: number;
}): { send: SendWebhook; close: () => Promise<void> } {
  const { targets, resolve, deadlineMs = DEADLINE_MS } = options;
  const { guarded, unguarded, close } = createOutboundAgents(deadlineMs, resolve);
  return {
    async send({ url, id, body, secrets, at }) {
      const wrong = webhookUrlError(url, targets);
      if (wrong !== null) return wrong;
      const seconds = String(Math.floor(at.getTime() / 1_000));
      const signatures = secrets.map((secret) => signatureOf(`${id}.${seconds}.${body}`, secret));
      try {
        const response = await fetch(url, {
          method: 'POST',
          dispatcher: isAllowed(new URL(url), targets.webhookAllowedHosts) ? unguarded : guarded,
          redirect: 'manual',
          signal: AbortSignal.timeout(deadlineMs),
          headers: {
            'content-type': 'application/json',
            'user-agent': USER_AGENT,
            'webhook-id': id,
            'webhook-timestamp': seconds,
            'webhook-signature': signatures.join(' '),
          },
          body,
        });
        // What the receiver answers is of no interest, and is not read.
        await response.body?.cancel().catch(() => undefined);
        return response.ok ? null : `HTTP ${response.status}`;
      } catch (error) {
        if (isPrivateAddress(error)) return 'its address is not public';
        return (error as Error).name === 'TimeoutError' ? 'timeout' : 'connection failed';
      }
    },
    close,
  };
}
