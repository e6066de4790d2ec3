import type { Client } from '@elastic/elasticsearch';
import { Backoff } from '../../engine/backoff.js';
import { productsAlias } from '../../engine/indices.js';
import { Lease, LeaseHeldError, LeaseLostError } from '../../engine/lease.js';
import { schemaVersionOf } from '../../engine/index-versions.js';
import { GROUPS_SCHEMA } from '../../listing/schema-versions.js';
import type { ExchangeRates } from '../../listing/rates.js';
import { formatInstant } from '../../listing/instant.js';
import { OperationError } from '../../platform/operation-errors.js';
import type { StoredDecision } from '../../schemas/decisions.js';
import { lazy } from '../../text/memoize.js';
import { formatCount, formatDuration } from '../../text/quantities.js';
import type { ProgressDisplay } from '../../platform/progress.js';
import { matchingModels } from '../../published/matching-models.js';
import { compareAndStore, createComparer } from './compare.js';
import {
  decisionDocument,
  decisionsFor,
  ensureDecisions,
  type EffectiveDecisions,
  settleDecisions,
  storeDecisions,
} from '../../matcher/decisions.js';
import { listingsMatching, queryOf } from './listings.js';
import { ensureLinks, LinkRecords } from './records.js';
import {
  bothChanged,
  type ChangedGroups,
  MAX_AFFECTED,
  type Plan,
  regroup,
  TooManyAffectedError,
} from './regroup.js';
import { storeQuestions } from './review-questions.js';
import { LINK, type LinkRun, type LinkScope, type LinkState, retrying, type RunState } from './run.js';
import { writeGroups } from './write.js';
import { storedIndex } from '../../platform/stored.js';

export interface LinkOptions {
  scope: LinkScope;
  decisions: readonly StoredDecision[];
  dryRun: boolean;
  workers: number;
}

export interface LinkContext {
  es: Client;
  indexPrefix: string;
  rates: ExchangeRates;
  signal: AbortSignal;
  report: (line: string) => void;
  showProgress: (title: string) => ProgressDisplay;
}

const NO_GROUPS: ChangedGroups = new Set();

/**
 * Forms groups of listings that offer the same product, and reports what it did. An unfinished earlier run is completed first.
 * @returns the groups that gained or lost a listing; none if nothing was written.
 * @throws OperationError if it cannot run; LeaseLostError if another link has taken over.
 */
export async function link(context: LinkContext, options: LinkOptions): Promise<ChangedGroups> {
  const { es, indexPrefix, report } = context;
  await checkCatalogue(context);
  if (options.dryRun) {
    const run: RunState = { id: Date.now(), scope: options.scope, phase: 'comparing' };
    return new Linking(context, run, options).run();
  }
  const isNew = await ensureLinks(es, indexPrefix);
  const lease = await acquireLease(es, indexPrefix, report);
  return lease.hold(context.signal, async (signal) => {
    const held = { ...context, signal };
    let changed = NO_GROUPS;
    const unfinished = lease.state.run;
    if (unfinished !== null) {
      report('an earlier link did not end; going on with it');
      changed = await new Linking(held, unfinished, { ...options, decisions: [] }, lease).run();
      if (unfinished.scope.kind === 'all' && options.scope.kind === 'all' && options.decisions.length === 0)
        return changed;
    }
    const first = isNew && !(await isAnyLinked(context));
    // Without the stored comparisons, groups that were formed earlier would fall apart, so all listings are compared again.
    const isLost = isNew && !first && options.scope.kind !== 'all';
    if (isLost) report('the stored comparisons are missing: all listings are compared again');
    const scope: LinkScope = isLost ? { kind: 'all' } : options.scope;
    const run: RunState = { ...nextRun(lease, scope), first };
    await lease.save({ run, latest: run.id });
    return bothChanged(changed, await new Linking(held, run, options, lease).run());
  });
}

const nextRun = ({ state }: Lease<LinkState>, scope: LinkScope): RunState => ({
  id: Math.max(Date.now(), state.latest + 1),
  scope,
  phase: 'comparing',
});

/** The time in milliseconds for which a run waits for the lease, which a reviewer's decision holds for less than a second. */
const PATIENCE_MS = 2_000;

async function acquireLease(es: Client, indexPrefix: string, report: (line: string) => void) {
  try {
    return await Lease.acquire(es, indexPrefix, LINK, report);
  } catch (error) {
    if (!(error instanceof LeaseHeldError)) throw error;
    return Lease.acquireWithin(es, indexPrefix, LINK, PATIENCE_MS);
  }
}

/** Forms the groups of new decisions again. @returns false if that is not possible at once, so that the next linking run does it. */
export async function applyDecisions(context: LinkContext): Promise<boolean> {
  const { es, indexPrefix } = context;
  if (!(await es.indices.exists({ index: storedIndex(indexPrefix, 'links') }))) return false;
  let lease: Lease<LinkState>;
  try {
    lease = await Lease.acquireWithin(es, indexPrefix, LINK, PATIENCE_MS);
  } catch (error) {
    if (error instanceof LeaseHeldError) return false;
    throw error;
  }
  try {
    return await lease.hold(context.signal, async (signal) => {
      if (lease.state.run !== null) return false;
      const run = nextRun(lease, { kind: 'decisions' });
      const options = { scope: run.scope, decisions: [], dryRun: false, workers: 1 };
      await new Linking({ ...context, signal }, run, options, lease).run();
      return true;
    });
  } catch (error) {
    const isLeft = error instanceof TooManyAffectedError || error instanceof LeaseLostError;
    if (isLeft || context.signal.aborted) return false;
    throw error;
  }
}

async function checkCatalogue({ es, indexPrefix }: LinkContext): Promise<void> {
  const alias = productsAlias(indexPrefix);
  if (!(await es.indices.existsAlias({ name: alias })))
    throw new OperationError(`There is no catalogue ${alias}; load one first.`);
  if ((await schemaVersionOf(es, alias)) < GROUPS_SCHEMA)
    throw new OperationError(`${alias} has an older schema, without groups: run npm run reindex first.`);
}

async function isAnyLinked({ es, indexPrefix }: LinkContext): Promise<boolean> {
  const query = { exists: { field: 'internal.linked_at' } };
  const { count } = await es.count({ index: productsAlias(indexPrefix), query, terminate_after: 1 });
  return count > 0;
}

class Linking {
  readonly #linkRun: LinkRun;
  readonly #display;
  readonly #started = performance.now();

  constructor(
    private readonly context: LinkContext,
    run: RunState,
    private readonly options: LinkOptions,
    private readonly lease: Lease<LinkState> | null = null,
  ) {
    const { es, indexPrefix, rates, signal, showProgress } = context;
    this.#display = showProgress('link');
    const backoff = new Backoff({ onWait: this.#display.line, signal });
    this.#linkRun = {
      es,
      run,
      backoff,
      rates,
      model: lazy(() => matchingModels(es, indexPrefix).active()),
      signal,
      alias: productsAlias(indexPrefix),
      records: new LinkRecords(es, indexPrefix, backoff, options.dryRun),
      retry: retrying(backoff),
    };
  }

  async run(): Promise<ChangedGroups> {
    const { dryRun } = this.options;
    try {
      const comparison = this.#linkRun.run.phase === 'comparing' ? await this.#compare() : null;
      const written = dryRun ? null : await this.#write();
      this.#display.stop();
      const took = formatDuration(performance.now() - this.#started);
      this.context.report(linkReport(comparison, written, took, dryRun));
      if (written === null) return NO_GROUPS;
      if (comparison !== null) return comparison.plan.changed;
      // The groups were decided by an earlier run, so this run does not know which of them changed.
      return written > 0 ? 'many' : NO_GROUPS;
    } finally {
      this.#display.stop();
    }
  }

  async #compare(): Promise<LinkComparison> {
    const { es, alias, run, records, retry, signal, backoff } = this.#linkRun;
    const { indexPrefix } = this.context;
    const decisions = await this.#decide();
    if (run.scope.kind === 'decisions' && decisions.fresh.length > MAX_AFFECTED)
      throw new TooManyAffectedError();
    const query = queryOf(run.scope, decisions.fresh);
    await retry(() => es.indices.refresh({ index: alias }));
    const { count } = await retry(() => es.count({ index: alias, query }));
    const progress = this.#progress('compared', count);
    const { workers } = this.options;
    const compare = createComparer(workers, count);
    const pages = listingsMatching(this.#linkRun, query);
    const decided = new Set(decisions.decisions.flatMap(({ a, b }) => [a, b]));
    const searched = await compareAndStore(this.#linkRun, pages, { workers, compare, decided }, (done) => {
      progress(done);
      signal.throwIfAborted();
    });
    await records.refresh();
    const plan = await regroup(this.#linkRun, decisions);
    await records.save([...plan.groups].map(([id, group]) => ({ id, planned_by: run.id, ...group })));
    await records.refresh();
    await this.lease?.save({ run: { ...run, phase: 'writing' } });
    if (!this.options.dryRun) {
      await settleDecisions(es, indexPrefix, decisions.pending, backoff);
      await storeQuestions(this.#linkRun, indexPrefix, plan);
    }
    return { count, searched, plan, decisions };
  }

  async #decide(): Promise<EffectiveDecisions> {
    const { es, alias, run, backoff } = this.#linkRun;
    const { indexPrefix } = this.context;
    const { decisions, dryRun } = this.options;
    const author = { reviewer: null, key_id: null, note: null, decided_at: formatInstant(run.id) };
    if (!dryRun) await ensureDecisions(es, indexPrefix);
    const documents = decisions.map((decision) => decisionDocument(decision, author));
    if (documents.length > 0 && !dryRun) await storeDecisions(es, indexPrefix, documents, backoff);
    return decisionsFor({ es, alias, indexPrefix, backoff }, dryRun ? documents : []);
  }

  async #write(): Promise<number> {
    const { es, alias, run, retry } = this.#linkRun;
    await this.lease?.renew();
    const written = await writeGroups(this.#linkRun, this.#progress('written', null));
    await retry(() => es.indices.refresh({ index: alias }));
    await this.lease?.save({ run: null, latest: run.id });
    return written;
  }

  #progress(what: string, total: number | null): (done: number) => void {
    const since = performance.now();
    return (done) => {
      const rate = formatCount(Math.round((done * 1000) / Math.max(1, performance.now() - since)));
      const share = total === null || total === 0 ? null : Math.min(1, done / total);
      this.#display.update({ share, note: `${formatCount(done)} ${what}`, rate: `${rate}/s` });
    };
  }
}

interface LinkComparison {
  /** The listings in the scope of the run, and those whose candidates were searched for. */
  count: number;
  searched: number;
  plan: Plan;
  decisions: EffectiveDecisions;
}

/** Formats the report for the operator. The comparison is null if an earlier run did it, `written` in a dry run. */
function linkReport(
  comparison: LinkComparison | null,
  written: number | null,
  took: string,
  dryRun: boolean,
): string {
  const row = (number: number, label: string) => `${formatCount(number).padStart(12)}  ${label}`;
  const lines = [`link: ${dryRun ? 'would be done' : 'done'} in ${took}`];
  if (comparison !== null) {
    const { count, searched, plan, decisions } = comparison;
    lines.push(
      row(count, 'listings to link'),
      row(searched, 'looked up; the others were found by these'),
      row(plan.found, 'products among the affected listings'),
      row(plan.shared, '  with more than one listing'),
      row(plan.moved, `listings ${dryRun ? 'would change' : 'changed'} their group`),
    );
    if (decisions.decisions.length > 0) lines.push(row(decisions.decisions.length, 'decisions obeyed'));
    if (decisions.unknown > 0)
      lines.push(row(decisions.unknown, 'decisions about listings that are not in the catalogue'));
  }
  if (written !== null) lines.push(row(written, 'listings written'));
  return lines.join('\n');
}
