/** npm run sync: loads the sources that are due; see --help. */
import { Runs, type RunRecord } from '../src/sources/runs.js';
import { LoadFollowUp } from './jobs/follow-up.js';
import { FOLLOW_UP_OPTIONS, followUpSteps } from './loading/follow-up-options.js';
import { command, GRACE_MS, notice } from './shared/command.js';
import { afterLoad, ENGINE_HELP, isEngineError, withEngine } from './shared/engine.js';
import { EXIT, UsageError } from './shared/exit.js';
import { checkWatch, touch, WATCH_OPTIONS } from './shared/repeat.js';
import { start } from './shared/start.js';
import { runSources } from './syncing/run-sources.js';
import { sourcesOption } from './syncing/source-files.js';
import { pause } from '../src/platform/pause.js';

/** The pause in ms before the scheduler tries again to reach Elasticsearch. */
const RETRY_MS = 10_000;
const PARALLEL = 4;

const OPTIONS = { sources: sourcesOption, ...WATCH_OPTIONS, ...FOLLOW_UP_OPTIONS };

export const main = command({
  name: 'sync',
  about: `Loads the sources that are described by the files in sources/ and that are due by their schedules. A source that is named is
loaded at once, whether it is due or not; with --watch, each source is loaded when it is due. Each run is recorded, with the guard that stopped it if one did; GET
/v1/sources?include=schedule shows the last one. npm run sources -- check checks the files.`,
  operands: { show: 'NAME...' },
  options: OPTIONS,
  notes: `A run that failed, for example because a server did not respond, is repeated after 5 minutes, then 15 minutes, one hour and four
hours. A run that a guard stopped is not repeated before the next scheduled time. A source is never loaded by two processes
at once. Secrets are read from environment variables whose names begin with SOURCE_, and from the files in the folder
SOURCE_CREDENTIALS. ${ENGINE_HELP}.`,
  exits: {
    done: 'all sources that were due are loaded or have not changed',
    stopped: 'a guard stopped the run of a source',
    rejected: 'records of a source were rejected',
    interrupted: 'interrupted',
  },
  onInterrupt: { graceMs: GRACE_MS },
  async run({ options, operands: names }, env, io) {
    const { watch, alive } = options;
    if (watch && names.length > 0)
      throw new UsageError('--watch loads all sources that are due, so no NAME may be given.');
    checkWatch(options);
    const now = () => new Date();
    return withEngine(env, async (engine) => {
      const steps = followUpSteps(options);
      let followUp = new LoadFollowUp(engine, steps);
      const runs = new Runs(engine.es, engine.indexPrefix);
      const context = { engine, runs, env, io, now, followUp: () => followUp };
      const given = {
        folder: options.sources,
        names,
        parallel: PARALLEL,
        watch,
        async onIdle() {
          const ended = followUp;
          followUp = new LoadFollowUp(engine, steps);
          if (!io.signal.aborted && steps.length > 0)
            await afterLoad(env, io, (engine) => ended.run(engine, io), describeMissed);
        },
        ...(alive === undefined ? {} : { onAlive: () => touch(alive) }),
      };
      for (;;) {
        try {
          const { runs, areValid, idle } = await runSources(given, context);
          if (idle !== null && !io.signal.aborted) io.out.write(`${idle}\n`);
          return io.signal.aborted ? EXIT.interrupted : exitCode(runs, areValid);
        } catch (error) {
          if (!watch || !isEngineError(error)) throw error;
          // The scheduler keeps running while Elasticsearch is unavailable.
          notice(io, `Elasticsearch: ${error.message}`);
          await pause(RETRY_MS, io.signal);
          if (io.signal.aborted) return EXIT.interrupted;
        }
      }
    });
  },
});

const describeMissed = (reason: string): string =>
  `Not everything that depends on the loads is updated (${reason}); npm run follow-up does it.`;

/** The exit code for the worst outcome. Invalid source files fail, because their sources are not loaded. */
function exitCode(runs: readonly RunRecord[], areValid: boolean): number {
  const outcomes = new Set(runs.map(({ outcome }) => outcome));
  if (!areValid || outcomes.has('failed')) return EXIT.failed;
  if (outcomes.has('refused')) return EXIT.stopped;
  return runs.some(({ counts }) => counts.rejected > 0) ? EXIT.rejected : EXIT.done;
}

await start(import.meta.url, main);
