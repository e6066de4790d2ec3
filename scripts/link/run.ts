import { productsAlias } from '../../src/engine/indices.js';
import { schemaVersionOf } from '../../src/engine/schema-version.js';
import { GROUPS_SCHEMA } from '../../src/listing/derived.js';
import type { StoredDecision } from '../../src/schemas/decisions.js';
import { readRates } from '../../src/usecases/shared/read-rates.js';
import { withEngine } from '../shared/catalogue.js';
import type { Io } from '../shared/command.js';
import type { CommandEngine } from '../shared/engine.js';
import { CommandError } from '../shared/exit.js';
import { Lease } from '../shared/lease.js';
import { formatCount, formatDuration, showProgress } from '../shared/terminal.js';
import { compareAndKeep } from './compare.js';
import { type Decided, decidedFor, keepDecisions } from './decisions.js';
import { idsOf, queryOf } from './products.js';
import { ensureLinks, LinkRecords } from './records.js';
import { type Plan, regroup } from './regroup.js';
import { backoffOf, LINK, retrying, type Run, type Scope, type State, type Work } from './work.js';
import { writeGroups } from './write.js';

export interface LinkOptions {
  scope: Scope;
  /** To keep, and to obey from this run on. */
  decisions: readonly StoredDecision[];
  dryRun: boolean;
}

/**
 * Forms groups of listings that are one product, and prints what it did. A run that did not end is brought to its end
 * first, so that whatever it had begun to write is written.
 * @returns whether any listing may be in another group than before.
 * @throws CommandError when it cannot, LeaseLostError when another link has taken over.
 */
export const link = (options: LinkOptions, env: NodeJS.ProcessEnv, io: Io): Promise<boolean> =>
  withEngine(env, async (engine) => {
    const { es, indexPrefix } = engine;
    await checkCatalogue(engine);
    if (options.dryRun) {
      const run: Run = { id: Date.now(), scope: options.scope, phase: 'comparing' };
      return new Linking(engine, io, run, options).run();
    }
    const isNew = await ensureLinks(es, indexPrefix);
    const lease = await Lease.take(es, indexPrefix, LINK, (note) => io.out.write(`${note}\n`));
    try {
      let changed = false;
      const unfinished = lease.state.run;
      if (unfinished !== null) {
        io.out.write('an earlier link did not end; going on with it\n');
        changed = await new Linking(engine, io, unfinished, { ...options, decisions: [] }, lease).run();
        if (unfinished.scope.kind === 'all' && options.scope.kind === 'all' && options.decisions.length === 0)
          return changed;
      }
      const first = isNew && !(await isAnyLinked(engine));
      // Without what was compared before, whatever is linked already would fall apart.
      const anew = isNew && !first && options.scope.kind !== 'all';
      if (anew) io.out.write('what was compared before is gone: all listings are compared anew\n');
      const scope: Scope = anew ? { kind: 'all' } : options.scope;
      const id = Math.max(Date.now(), lease.state.latest + 1);
      const run: Run = { id, scope, phase: 'comparing', first };
      await lease.save({ run, latest: id });
      return (await new Linking(engine, io, run, options, lease).run()) || changed;
    } finally {
      await lease.release();
    }
  });

/** @throws CommandError where there is nothing to link, or nowhere to write it. */
async function checkCatalogue({ es, indexPrefix, url }: CommandEngine): Promise<void> {
  const alias = productsAlias(indexPrefix);
  if (!(await es.indices.existsAlias({ name: alias })))
    throw new CommandError(`There is no catalogue ${alias} at ${url}; load one first.`);
  if ((await schemaVersionOf(es, alias)) < GROUPS_SCHEMA)
    throw new CommandError(`${alias} is of an earlier schema, without groups: npm run reindex first.`);
}

async function isAnyLinked({ es, indexPrefix }: CommandEngine): Promise<boolean> {
  const query = { exists: { field: 'internal.linked_at' } };
  const { count } = await es.count({ index: productsAlias(indexPrefix), query, terminate_after: 1 });
  return count > 0;
}

/** One run, from wherever it is to its end. */
class Linking {
  readonly #work: Work;
  readonly #display;
  #started = performance.now();

  constructor(
    private readonly engine: CommandEngine,
    private readonly io: Io,
    run: Run,
    private readonly options: LinkOptions,
    private readonly lease: Lease<State> | null = null,
  ) {
    const { es, indexPrefix, exchangeRatesFile } = engine;
    this.#display = showProgress('link', io.err);
    const backoff = backoffOf(this.#display.line, io.signal);
    this.#work = {
      es,
      run,
      backoff,
      alias: productsAlias(indexPrefix),
      signal: io.signal,
      rates: readRates(exchangeRatesFile),
      records: new LinkRecords(es, indexPrefix, backoff, options.dryRun),
      retry: retrying(backoff),
    };
  }

  /** @returns whether any listing may be in another group than before. */
  async run(): Promise<boolean> {
    const { run } = this.#work;
    try {
      const compared = run.phase === 'comparing' ? await this.#compare() : null;
      const wrote = this.options.dryRun ? null : await this.#write();
      this.#display.stop();
      const took = formatDuration(performance.now() - this.#started);
      this.io.out.write(`${describe(compared, wrote, took, this.options.dryRun)}\n`);
      return wrote !== null && (compared === null ? wrote : compared.plan.moved) > 0;
    } finally {
      this.#display.stop();
    }
  }

  async #compare(): Promise<Compared> {
    const work = this.#work;
    const { es, alias, run, records, retry } = work;
    const decided = await this.#decide();
    const query = queryOf(run.scope);
    await retry(() => es.indices.refresh({ index: alias }));
    const { count } = await retry(() => es.count({ index: alias, query }));
    const progress = this.#progress('compared', count);
    const looked = await compareAndKeep(work, idsOf(work, query), (done) => {
      progress(done);
      this.io.signal.throwIfAborted();
    });
    await records.refresh();
    const plan = await regroup(work, decided);
    await records.savePlan(run.id, plan.groups);
    await records.refresh();
    await this.lease?.save({ run: { ...run, phase: 'writing' } });
    return { count, looked, plan, decided };
  }

  async #decide(): Promise<Decided> {
    const { es, alias, run, backoff } = this.#work;
    const { indexPrefix } = this.engine;
    const { decisions, dryRun } = this.options;
    if (decisions.length > 0 && !dryRun) await keepDecisions(es, indexPrefix, decisions, run.id, backoff);
    return decidedFor({ es, alias, indexPrefix, backoff }, run.id, dryRun ? decisions : []);
  }

  async #write(): Promise<number> {
    const { es, alias, run } = this.#work;
    await this.lease?.touch();
    const wrote = await writeGroups(this.#work, this.#progress('written', null));
    await this.#work.retry(() => es.indices.refresh({ index: alias }));
    await this.lease?.save({ run: null, latest: run.id });
    return wrote;
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

interface Compared {
  count: number;
  looked: number;
  plan: Plan;
  decided: Decided;
}

/** What a run did, for people. @param compared null: the run before had done that. */
function describe(compared: Compared | null, wrote: number | null, took: string, dryRun: boolean): string {
  const row = (number: number, label: string) => `${formatCount(number).padStart(12)}  ${label}`;
  const lines = [`link: ${dryRun ? 'would be done' : 'done'} in ${took}`];
  if (compared !== null) {
    const { count, looked, plan, decided } = compared;
    lines.push(
      row(count, 'listings to link'),
      row(looked, 'looked up; the others were found by these'),
      row(plan.found, 'products among what these touch'),
      row(plan.shared, '  with more than one listing'),
      row(plan.moved, `listings ${dryRun ? 'would change' : 'changed'} their group`),
    );
    if (decided.decisions.length > 0) lines.push(row(decided.decisions.length, 'decisions obeyed'));
    if (decided.unknown > 0)
      lines.push(row(decided.unknown, 'decisions about listings that there are none of'));
  }
  if (wrote !== null) lines.push(row(wrote, 'listings written'));
  return lines.join('\n');
}
