import { hash, randomBytes } from 'node:crypto';
import { getStoredListing } from '../../engine/documents.js';
import { firstMemory, observeOffers } from '../../listing/alerts.js';
import { CHANGES_SCHEMA } from '../../listing/schema-versions.js';
import { DAY_MS, formatInstant, parseInstant } from '../../listing/instant.js';
import type { StoredListing } from '../../listing/listing.js';
import { formatPrice, toUnits } from '../../listing/price.js';
import type { Tier } from '../../platform/access/tiers.js';
import { invalid, invalidValue, notFound, unauthorized, unavailable } from '../../platform/errors.js';
import {
  ALERT_CONDITIONS,
  type AlertChanges,
  type AlertCondition,
  type NewAlert,
} from '../../schemas/alerts.js';
import type { Caller, Context } from '../context.js';
import { AlertStore, type StoredAlert, type VersionedAlert } from './store.js';
import { OFFER_FIELDS, readWatchedOf } from './watched-offers.js';
import { createWebhookCipher, storedSecret } from './webhook-secrets.js';
import { idempotently, withoutSecret } from '../idempotent.js';
import { checkSchema } from '../../products/list-requests.js';
import { knownListing } from '../../products/product-ids.js';
import { checkStoredAlerts } from './check-alert.js';
import { checkEventsLeft } from './event-budget.js';
import { webhookUrlError } from './send-webhook.js';

const ALERTS_PER_KEY: Record<Tier, number> = { free: 100, basic: 100, standard: 500, premium: 2_000 };
const DEFAULT_COOLDOWN_S = 86_400;
const MAX_CONFLICTS = 5;

export type WithKey = Pick<Caller, 'key'>;

type AlertsContext = Pick<Context, 'es' | 'access' | 'config' | 'products' | 'now' | 'schemaVersion'>;

export const storeOf = ({ es, config }: Pick<Context, 'es' | 'config'>): AlertStore =>
  new AlertStore(es, config.indexPrefix);

/**
 * Creates an alert, which may fire at once; the same alert again is answered with the first one. Those of a developer are created one
 * after the other, so that their number is limited. @throws ApiError 404 without the listing; 422 for a condition or too many alerts.
 */
export async function createAlert(
  context: AlertsContext,
  body: NewAlert,
  caller: Pick<Caller, 'key' | 'idempotencyKey'>,
) {
  const repeatable = { path: '/v1/alerts', content: JSON.stringify(body) };
  const create = () => findOrCreateAlert(context, body, caller);
  return idempotently(context, caller, repeatable, create, withoutSecret('secret', 'alert_id'));
}

async function findOrCreateAlert(context: AlertsContext, body: NewAlert, { key }: WithKey) {
  const { access, now } = context;
  const store = storeOf(context);
  const { product_id, scope = 'listing', cooldown_s = DEFAULT_COOLDOWN_S } = body;
  const when = conditionOf(body.when);
  const expires_at = expiryOf(body.expires_at, now());
  const url = webhookUrlOf(body.url, context);
  await checkSchema(context, { 'an alert': CHANGES_SCHEMA });
  const listing = await knownListing(context, product_id, OFFER_FIELDS);
  const developer_id = developerOf(key);
  const fingerprint = fingerprintOf({ developer_id, product_id, scope, when, url });
  const wanted = { developer_id, product_id, scope, when, cooldown_s, url, expires_at, fingerprint };
  await store.ensureIndices();
  return access.idempotency.oneAtATime(`alerts:${developer_id}`, async () => {
    const { alerts } = await store.ofDeveloper(developer_id, { fingerprint, limit: 1, offset: 0 });
    if (alerts[0] !== undefined) return { status: 200, body: alertBody(alerts[0], now()) };
    return createNewAlert(context, wanted, listing, key);
  });
}

type Identity = Pick<StoredAlert, 'developer_id' | 'product_id' | 'scope' | 'when' | 'url'>;

/** A hash by which the same alert is recognized. Prices are normalized, because one price can be written in several ways. */
function fingerprintOf({ developer_id, product_id, scope, when, url }: Identity): string {
  const { price_below: below, currency = null } = when;
  const written = below === undefined ? when : { ...when, price_below: formatPrice(below, currency) };
  return hash('sha256', JSON.stringify([developer_id, product_id, scope, written, url]), 'hex');
}

async function createNewAlert(
  context: AlertsContext,
  wanted: Identity & Pick<StoredAlert, 'cooldown_s' | 'expires_at' | 'fingerprint'>,
  listing: Pick<StoredListing, 'currency'>,
  key: Caller['key'],
) {
  const { es, config, products, now } = context;
  const store = storeOf(context);
  const { developer_id, product_id, scope, when, fingerprint } = wanted;
  const { id: key_id = '', tier = 'free' } = key ?? {};
  const { total } = await store.ofDeveloper(developer_id, { limit: 0, offset: 0 });
  if (total >= ALERTS_PER_KEY[tier]) throw tooManyAlerts(ALERTS_PER_KEY[tier]);

  const currency = when.currency ?? listing.currency;
  const watching = { product_id, scope, group_id: product_id, offer_ids: [] };
  const { offers, group_id } = await readWatchedOf(es, products, watching);
  const observed = observeOffers(offers, { scope, currency, when }, now().getTime());
  checkFulfillable({ when, scope }, observed.units, listing.currency);
  const alert_id = `al_${hash('sha256', `${fingerprint} ${now().getTime()}`, 'hex').slice(0, 24)}`;
  const secret = newSecret();
  const alert: StoredAlert = {
    ...wanted,
    alert_id,
    key_id,
    group_id,
    offer_ids: offers.map(({ id }) => id),
    currency,
    baseline_units: observed.units,
    state: 'active',
    secrets: [validSecret(secret, alert_id, config)],
    failures: 0,
    created_at: formatInstant(now().getTime()),
    memory: firstMemory(when, observed),
    events: 0,
    open_event: null,
  };
  const stored = await store.create(alert);
  if (stored === null) throw unavailable();
  const checked = await checkNow(context, stored, true);
  return { status: 201, body: { ...alertBody(checked, now()), secret } };
}

export async function listAlerts(
  context: AlertsContext,
  { limit = 100, offset = 0 }: { limit?: number; offset?: number },
  { key }: WithKey,
) {
  const { total, alerts } = await storeOf(context).ofDeveloper(developerOf(key), { limit, offset });
  return { body: { items: alerts.map((alert) => alertBody(alert, context.now())), total } };
}

/** Returns an alert of the key. @throws ApiError 404 if the key has no such alert. */
export async function getAlert(context: AlertsContext, id: string, caller: WithKey) {
  const { alert } = await ownAlert(context, id, caller);
  return { body: alertBody(alert, context.now()) };
}

/** Changes an alert of the developer. @throws ApiError 404 without such an alert, 503 if others keep changing it. */
async function replaceOwn(
  context: AlertsContext,
  id: string,
  caller: WithKey,
  change: (alert: StoredAlert) => StoredAlert | Promise<StoredAlert>,
): Promise<{ before: StoredAlert; stored: VersionedAlert }> {
  for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts += 1) {
    const { alert: before, version } = await ownAlert(context, id, caller);
    const stored = await storeOf(context).replace({ alert: await change(before), version }, true);
    if (stored !== null) return { before, stored };
  }
  throw unavailable();
}

/**
 * Changes an alert. A changed condition begins without a memory of earlier events, except for the cooldown. What happened while
 * the alert was paused is no event, but a condition on a state may be true now, and then fires at once.
 * @throws ApiError 404, 422; 429 for a condition after too many events; 503 if other requests keep changing it.
 */
export async function changeAlert(
  context: AlertsContext,
  id: string,
  changes: AlertChanges,
  caller: WithKey,
) {
  const { es, products, now } = context;
  const when = changes.when === undefined ? undefined : conditionOf(changes.when);
  const expires_at = changes.expires_at === undefined ? undefined : expiryOf(changes.expires_at, now());
  const url = changes.url === undefined ? undefined : webhookUrlOf(changes.url, context);
  if (when !== undefined)
    await checkEventsLeft(storeOf(context), developerOf(caller.key), caller.key?.tier ?? 'free', now());
  const change = async (alert: StoredAlert): Promise<StoredAlert> => {
    const { product_id, scope } = alert;
    const changed: StoredAlert = {
      ...alert,
      ...(changes.state && { state: changes.state, failures: 0 }),
      ...(changes.state === 'active' && { key_id: caller.key?.id ?? '' }),
      ...(url === undefined ? {} : { url }),
      ...(changes.cooldown_s === undefined ? {} : { cooldown_s: changes.cooldown_s }),
      ...(expires_at === undefined ? {} : { expires_at }),
    };
    const listing = await getStoredListing(es, products, product_id, OFFER_FIELDS);
    const { offers } = await readWatchedOf(es, products, alert);
    if (when !== undefined && JSON.stringify(when) !== JSON.stringify(alert.when)) {
      const currency = when.currency ?? listing?.currency ?? alert.currency;
      const observed = observeOffers(offers, { scope, currency, when }, now().getTime());
      Object.assign(changed, {
        when,
        currency,
        baseline_units: alert.baseline_units ?? observed.units,
        // The cooldown continues, so that a client cannot trigger more events by changing the condition repeatedly.
        memory: { ...firstMemory(when, observed), fired_at: alert.memory.fired_at },
      });
      checkFulfillable({ when, scope }, changed.baseline_units, listing?.currency ?? null);
    } else if (alert.state === 'paused' && changed.state === 'active') {
      const { units, in_stock } = observeOffers(offers, alert, now().getTime());
      changed.memory = { ...alert.memory, units: units ?? alert.memory.units, in_stock };
    }
    return { ...changed, fingerprint: fingerprintOf(changed) };
  };
  const { before, stored } = await replaceOwn(context, id, caller, change);
  const checked = await checkNow(context, stored, stored.alert.memory !== before.memory);
  return { body: alertBody(checked, now()) };
}

/** Checks an alert after it was stored, because earlier changes were not checked for it. @returns the alert after the check. */
async function checkNow(context: AlertsContext, stored: VersionedAlert, isFirst: boolean) {
  const { es, config, products, now } = context;
  if (isExpired(stored.alert, now())) return stored.alert;
  const watched = await readWatchedOf(es, products, stored.alert);
  const check = { first: stored, at: now().getTime(), isFirst, watched };
  const [checked] = await checkStoredAlerts([check], { ...config, store: storeOf(context), products, now });
  return checked?.alert ?? stored.alert;
}

/** Deletes an alert; its events are no longer returned. @throws ApiError 404 if the key has no such alert. */
export async function deleteAlert(context: AlertsContext, id: string, caller: WithKey) {
  await ownAlert(context, id, caller);
  await storeOf(context).delete(id);
  return { status: 204 };
}

/** How long a replaced secret stays valid, in milliseconds. */
const OLD_SECRET_MS = DAY_MS;

/** Replaces the secret of an alert; the old one is valid for another day. @throws ApiError 404, or 503 if other requests keep changing it. */
export async function rotateAlertSecret(context: AlertsContext, id: string, caller: WithKey) {
  const { config, now } = context;
  const secret = newSecret();
  const old_secret_expires_at = formatInstant(now().getTime() + OLD_SECRET_MS);
  const { before } = await replaceOwn(context, id, caller, (alert) => {
    const old = alert.secrets.slice(0, 1).map((current) => ({ ...current, until: old_secret_expires_at }));
    return { ...alert, secrets: [validSecret(secret, id, config), ...old] };
  });
  return { body: { ...alertBody(before, now()), secret, old_secret_expires_at } };
}

/** A secret of Standard Webhooks: 192 random bits. */
const newSecret = (): string => `whsec_${randomBytes(24).toString('base64')}`;

/** Returns a webhook secret as an alert stores it: encrypted if the service has a key for this, and valid without an end. */
const validSecret = (secret: string, id: string, { webhookSecretKeys }: Context['config']) => ({
  secret: storedSecret(secret, id, createWebhookCipher(webhookSecretKeys)),
  until: null,
});

/** @throws ApiError 422 for a URL that may not receive webhooks. */
function webhookUrlOf(url: string | null | undefined, { config }: Pick<Context, 'config'>): string | null {
  if (url === null || url === undefined) return null;
  const wrong = webhookUrlError(url, config);
  if (wrong === null) return url;
  throw invalidValue(['body', 'url'], wrong);
}

function developerOf(key: Caller['key']): string {
  if (key === null) throw unauthorized();
  return key.developerId;
}

/** @throws ApiError 404 if the alert does not exist or belongs to another developer. */
export async function ownAlert(context: Pick<Context, 'es' | 'config'>, id: string, { key }: WithKey) {
  const found = await storeOf(context).read(id);
  if (found === null || found.alert.developer_id !== developerOf(key)) throw notFound('Alert not found');
  return found;
}

function alertBody(alert: StoredAlert, now: Date) {
  const { alert_id, product_id, scope, when, url, cooldown_s, expires_at, created_at, memory } = alert;
  const state = isExpired(alert, now) ? ('expired' as const) : alert.state;
  const shown = { alert_id, product_id, scope, when, url, cooldown_s, expires_at, state, created_at };
  return { ...shown, last_fired_at: memory.fired_at === null ? null : formatInstant(memory.fired_at) };
}

const isExpired = ({ expires_at }: StoredAlert, now: Date): boolean =>
  expires_at !== null && Date.parse(expires_at) <= now.getTime();

/** Checks that there is exactly one condition. @throws ApiError 422 */
function conditionOf({ currency, ...when }: NewAlert['when']): AlertCondition {
  const given = Object.keys(when);
  if (given.length !== 1)
    throw invalidValue(['body', 'when'], `exactly one of ${ALERT_CONDITIONS.join(', ')} is needed`);
  if (when.price_below !== undefined && currency === undefined)
    throw invalid([{ loc: ['body', 'when', 'currency'], msg: 'Field required', type: 'missing' }]);
  if (when.price_below !== undefined && toUnits(when.price_below) === 0)
    throw invalidValue(['body', 'when', 'price_below'], 'price_below must be greater than 0');
  if (when.price_below === undefined && currency !== undefined)
    throw invalidValue(['body', 'when', 'currency'], 'currency is only allowed with price_below');
  return { ...when, ...(currency === undefined ? {} : { currency }) };
}

/** Checks a condition that could never be true. @param baseline for `drop_pct`, in ten-thousandths. @throws ApiError 422 */
function checkFulfillable(
  { when, scope }: Pick<StoredAlert, 'when' | 'scope'>,
  baseline: number | null,
  currency: string | null,
): void {
  const wrong = (member: string, message: string) => invalidValue(['body', 'when', member], message);
  if (when.drop_pct !== undefined && baseline === null)
    throw wrong('drop_pct', 'drop_pct requires a current price, and the product has none');
  if (when.currency !== undefined && scope === 'listing' && ![null, when.currency].includes(currency))
    throw wrong('currency', `the price of the listing is in ${currency}`);
}

/** @throws ApiError 422 for an invalid time or one that has passed. */
function expiryOf(given: string | null | undefined, now: Date): string | null {
  if (given === null || given === undefined) return null;
  const at = parseInstant(given);
  if (at !== null && at > now.getTime()) return formatInstant(at);
  throw invalidValue(['body', 'expires_at'], at === null ? 'not a time in ISO 8601' : 'the time has passed');
}

function tooManyAlerts(most: number) {
  const msg = `A developer with a key of this tier can have at most ${most} alerts`;
  return invalid([{ loc: ['body'], msg, type: 'too_many_alerts' }]);
}
