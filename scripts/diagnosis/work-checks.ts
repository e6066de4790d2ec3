import { catalogueFigures } from '../../src/engine/catalogue-figures.js';
import { isNotFound } from '../../src/engine/errors.js';
import { productsAlias } from '../../src/engine/indices.js';
import { readLease } from '../../src/engine/lease.js';
import { DAY_MS } from '../../src/listing/instant.js';
import { storedIndex } from '../../src/platform/stored.js';
import { formatDuration } from '../../src/text/quantities.js';
import { alertFigures } from '../../src/usecases/alerts/alert-progress.js';
import { BACKUP } from '../../src/usecases/backups/progress.js';
import { followUpFigures } from '../../src/sources/follow-up-progress.js';
import { isStale, readSourceStates } from '../../src/sources/source-states.js';
import { type Check, fail, type Finding, ok, unlessEmpty, warn } from './finding.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** From which age something is late, in ms, as the objectives of docs/operations.md state. */
const LATE = {
  backup: 26 * HOUR_MS,
  /** After this age of the last backup, two nightly backups are missing, which is a failure and not a warning. */
  backups: 50 * HOUR_MS,
  followUp: 2 * HOUR_MS,
  fullPass: 26 * HOUR_MS,
  load: 36 * HOUR_MS,
  alerts: 5 * MINUTE_MS,
  run: 15 * MINUTE_MS,
};
/** A source that was not loaded for this long was probably given up. */
const GIVEN_UP_MS = 30 * DAY_MS;

const since = (now: Date, at: number): number => now.getTime() - at;
const ago = (now: Date, at: number): string => `${formatDuration(since(now, at))} ago`;

export const checkBackup: Check = async ({ engine: { es, indexPrefix }, now }) => {
  const { verified_at, failed } = await readLease(es, indexPrefix, BACKUP);
  const next = 'npm run backup -- --to DIR';
  const at = verified_at === null ? null : Date.parse(verified_at);
  const last = at === null ? 'there is no complete backup' : `the last complete one began ${ago(now, at)}`;
  const text = failed === null ? last : `${last}; one failed at ${failed.at}: ${failed.reason}`;
  if (at === null || since(now, at) > LATE.backups) return [fail(text, next)];
  return failed !== null || since(now, at) > LATE.backup ? [warn(text, next)] : [ok(text)];
};

/** Checks whether the follow-up of loads is on time, and whether a worker runs full passes. */
export const checkFollowUp: Check = async ({ engine: { es, indexPrefix }, now }) => {
  const { fullPassAt, waitingMs } = await followUpFigures(es, indexPrefix, now);
  const waiting =
    waitingMs === 0 ? 'nothing waits' : `listings wait since ${ago(now, now.getTime() - waitingMs)}`;
  const next = 'npm run follow-up -- --watch';
  if (fullPassAt === 0) return [warn(`${waiting}; there was no full pass yet`, next)];
  const pass = `the last full pass ended ${ago(now, fullPassAt)}`;
  if (since(now, fullPassAt) > LATE.fullPass)
    return [fail(`${waiting}; no worker runs full passes: ${pass}`, next)];
  return [waitingMs > LATE.followUp ? warn(`${waiting}; ${pass}`, next) : ok(`${waiting}; ${pass}`)];
};

/** Checks the sources that have a source file, and those that are loaded without one. */
export const checkSources: Check = async ({ engine: { es, indexPrefix }, now }) => {
  const where = { products: productsAlias(indexPrefix), loads: storedIndex(indexPrefix, 'loads') };
  const states = await readSourceStates(es, indexPrefix);
  const configured = states.flatMap((state): Finding[] => {
    const { file, last_run, next_run_at, fresh_at } = state;
    const next = `npm run sync -- ${file}`;
    if (last_run?.outcome === 'failed' || last_run?.outcome === 'refused')
      return [warn(`${file}: the last run ${outcomeText(last_run.outcome)}: ${last_run.reason ?? ''}`, next)];
    if (isStale(state, now)) {
      const age = fresh_at === null ? 'was never loaded' : `has data of ${ago(now, Date.parse(fresh_at))}`;
      return [warn(`${file} is late: it ${age}`, next)];
    }
    const isOverdue = next_run_at !== null && since(now, Date.parse(next_run_at)) > LATE.run;
    return isOverdue ? [fail(`${file} is due since ${next_run_at}`, 'npm run sync -- --watch')] : [];
  });
  const { lastLoads } = await catalogueFigures(es, where).catch((error: unknown) => {
    // If the catalogue is missing, `checkIndices` reports that; it is no error of the sources.
    if (!isNotFound(error)) throw error;
    return { lastLoads: new Map<string, number>() };
  });
  const known = new Set(states.map(({ source }) => source));
  const loaded = [...lastLoads].flatMap(([source, at]): Finding[] => {
    const age = since(now, at);
    if (known.has(source) || age < LATE.load || age > GIVEN_UP_MS) return [];
    return [warn(`${source} is late: it was loaded ${ago(now, at)}`, 'npm run ingest')];
  });
  return unlessEmpty(
    [...configured, ...loaded],
    `${Math.max(lastLoads.size, states.length)} sources, none is late`,
  );
};

const outcomeText = (outcome: 'failed' | 'refused'): string =>
  outcome === 'failed' ? 'failed' : 'was stopped by a guard';

export const checkAlerts: Check = async ({ engine: { es, indexPrefix }, now }) => {
  const { active, checked_at } = await alertFigures(es, indexPrefix);
  const text = `${active} active, ${checked_at === null ? 'never checked' : `checked until ${ago(now, checked_at)}`}`;
  const isBehind = active > 0 && (checked_at === null || since(now, checked_at) > LATE.alerts);
  return [isBehind ? fail(text, 'npm run alerts -- --watch') : ok(text)];
};
