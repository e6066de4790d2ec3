import type { estypes } from '@elastic/elasticsearch';
import type { AlertMemory } from '../../listing/alerts.js';
import { groupOf } from '../../listing/listing.js';
import { FairQueue } from '../../platform/fair-queue.js';
import type { Change } from '../../products/changes/change.js';
import { type AlertCheckOptions, type CheckedAlert, checkStoredAlerts, readChecks } from './check-alert.js';
import type { AlertProgress } from './alert-progress.js';
import type { EventBudget } from './event-budget.js';
import type { StoredAlert } from './store.js';

/** The number of alerts whose ids are read at once. */
const PAGE = 5_000;
/** For how long one step checks alerts, in ms, which others wait. The number of its alerts follows from the time of the step before. */
const STEP_MS = 100;
const STEP_SIZE = { min: 20, max: 200 };

/** How often, in milliseconds, alerts are checked again that wait until an unusually low price is seen again. */
const UNCONFIRMED_MS = 60_000;
/** The maximum number of alerts that wait until a price is seen again; others are checked again only after a change. */
const MAX_UNCONFIRMED = 10_000;

/** When listings, and the product groups to which they belong now, last changed; by id, in milliseconds since 1970. */
interface ChangeTimes {
  listings: ReadonlyMap<number, number>;
  groups: ReadonlyMap<number, number>;
}

/** The members of an alert that decide when it is checked. */
type Candidate = Pick<StoredAlert, 'alert_id' | 'developer_id' | 'product_id' | 'group_id' | 'offer_ids'> & {
  memory: Pick<AlertMemory, 'fired_at'>;
};

const CANDIDATE = ['alert_id', 'developer_id', 'product_id', 'group_id', 'offer_ids', 'memory.fired_at'];

/** An alert that waits for its check. Times are in milliseconds since 1970. */
interface WaitingCheck {
  alert_id: string;
  developer_id: string;
  /** The time of the last change of what the alert watches. */
  at: number;
  /** All changes before this time were noticed before the alert began to wait. */
  since: number;
}

type CheckOptions = Omit<AlertCheckOptions, 'refresh' | 'takeEvent'> & { budget: EventBudget };

/** How far the checks are, so that another process can continue them. */
type ChecksState = Pick<AlertProgress, 'checked_at' | 'throttled' | 'unconfirmed'>;

/** The alerts that wait for their check, each once. Developers take turns in steps that are bounded in time. */
export class WaitingChecks {
  readonly #queue = new FairQueue<WaitingCheck>();
  /** The checks in the queue, by the ids of their alerts. */
  readonly #waiting = new Map<string, WaitingCheck>();
  #stepSize = STEP_SIZE.min;
  /** Whether checks changed what alerts watch since the last refresh. After changes by clients, the index is refreshed. */
  #hasMoved = true;
  #noticedUntil: number;
  /** The ids of the alerts that wait until an unusually low price is seen again, which is not recorded as a change. */
  readonly #unconfirmed: Set<string>;
  #nextUnconfirmed = 0;

  constructor(
    private readonly options: CheckOptions,
    { checked_at, unconfirmed = [] }: ChecksState = { checked_at: null },
  ) {
    this.#noticedUntil = checked_at ?? options.now().getTime();
    this.#unconfirmed = new Set(unconfirmed);
  }

  get size(): number {
    return this.#queue.size;
  }

  /** How far the checks are. The next process checks all alerts of a waiting developer, which takes less space than storing the alerts. */
  get state(): ChecksState & { checked_at: number } {
    const developers = new Set(this.options.budget.waiting);
    let checked_at = this.#noticedUntil;
    for (const { developer_id, since } of this.#waiting.values()) {
      developers.add(developer_id);
      checked_at = Math.min(checked_at, since);
    }
    return { checked_at, throttled: [...developers].sort(), unconfirmed: [...this.#unconfirmed] };
  }

  /** Adds the alerts on changes before a time, those of developers whose minute is over, and every minute those that wait for a price. */
  async notice(changes: readonly Change[], time: number): Promise<void> {
    const { budget, now } = this.options;
    const at = now().getTime();
    const times = timesOf(changes);
    if (changes.length > 0) await this.#add(alertsOn(times), (alert) => timeOf(alert, times));
    const developers = budget.release(at);
    if (developers.length > 0) await this.#add({ terms: { developer_id: developers } }, () => at);
    if (this.#unconfirmed.size > 0 && performance.now() >= this.#nextUnconfirmed) {
      this.#nextUnconfirmed = performance.now() + UNCONFIRMED_MS;
      const ids = [...this.#unconfirmed];
      // Alerts that were deleted or paused meanwhile match no query, and so leave the set.
      this.#unconfirmed.clear();
      await this.#add({ terms: { alert_id: ids } }, () => at);
    }
    this.#noticedUntil = time;
  }

  /** Checks some of the alerts that wait, with the same number of requests for all of them. @returns the number of new events. */
  async step(): Promise<number> {
    const { budget, ...options } = this.options;
    const { now } = options;
    const began = performance.now();
    const checks = this.#queue.take(this.#stepSize);
    for (const { alert_id } of checks) this.#waiting.delete(alert_id);
    const wanted = checks.map(({ alert_id, at }) => ({ alert_id, at, isFirst: false }));
    const read = await readChecks(wanted, options);
    const takeEvent = (developer: string) => budget.take(developer, now().getTime());
    const outcomes = await checkStoredAlerts(read, { ...options, refresh: false, takeEvent });
    const isMoved = ({ alert: { group_id, offer_ids } }: CheckedAlert, at: number): boolean => {
      const before = read[at]?.first.alert;
      return group_id !== before?.group_id || offer_ids.join() !== before.offer_ids.join();
    };
    this.#hasMoved ||= outcomes.some(isMoved);
    for (const { alert, waits } of outcomes)
      if (!waits) this.#unconfirmed.delete(alert.alert_id);
      else if (this.#unconfirmed.size < MAX_UNCONFIRMED) this.#unconfirmed.add(alert.alert_id);
    for (const developer of budget.waiting)
      for (const { alert_id } of this.#queue.remove(developer)) this.#waiting.delete(alert_id);
    const { min, max } = STEP_SIZE;
    const inTime = Math.round((checks.length * STEP_MS) / (performance.now() - began));
    this.#stepSize = Math.max(min, Math.min(inTime, 2 * this.#stepSize, max));
    return outcomes.filter(({ fires }) => fires).length;
  }

  async #add(query: estypes.QueryDslQueryContainer, timeOfAlert: (alert: Candidate) => number) {
    const { store, budget, now } = this.options;
    if (this.#hasMoved) {
      this.#hasMoved = false;
      await store.es.indices.refresh({ index: store.alerts });
    }
    const filter = [{ term: { state: 'active' } }, query];
    const active = { bool: { filter, must_not: { range: { expires_at: { lte: now().toISOString() } } } } };
    const found: Candidate[] = [];
    for await (const page of store.pages<Candidate>(active, PAGE, CANDIDATE)) found.push(...page);
    // Each developer begins with the alert that fired the longest time ago, so that all fire even if the events are used up every minute.
    const firedAt = ({ memory: { fired_at } }: Candidate) => fired_at ?? 0;
    for (const alert of found.sort((a, b) => firedAt(a) - firedAt(b))) {
      const { alert_id, developer_id } = alert;
      if (budget.isWaiting(developer_id)) continue;
      const waiting = this.#waiting.get(alert_id);
      const at = Math.max(waiting?.at ?? 0, timeOfAlert(alert));
      if (waiting !== undefined) waiting.at = at;
      else {
        const check = { alert_id, developer_id, at, since: this.#noticedUntil };
        this.#waiting.set(alert_id, check);
        this.#queue.add(developer_id, check);
      }
    }
  }
}

function timesOf(changes: readonly Change[]): ChangeTimes {
  const listings = new Map(changes.map(({ id, at }) => [id, Date.parse(at)]));
  const groups = new Map<number, number>();
  for (const { listing, at } of changes) {
    if (listing === null) continue;
    const group = groupOf(listing);
    groups.set(group, Math.max(groups.get(group) ?? 0, Date.parse(at)));
  }
  return { listings, groups };
}

/** The time of the last change of the listings and the product that an alert watches, or watched before. */
function timeOf({ product_id, group_id, offer_ids }: Candidate, { listings, groups }: ChangeTimes): number {
  const times = [product_id, ...offer_ids].map((id) => listings.get(id) ?? 0);
  return Math.max(...times, groups.get(group_id) ?? 0);
}

function alertsOn({ listings, groups }: ChangeTimes): estypes.QueryDslQueryContainer {
  const ids = [...listings.keys()];
  const ofProduct = {
    bool: { filter: [{ term: { scope: 'product' } }, { terms: { group_id: [...groups.keys()] } }] },
  };
  return { bool: { should: [{ terms: { product_id: ids } }, { terms: { offer_ids: ids } }, ofProduct] } };
}
