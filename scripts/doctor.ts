/** npm run doctor: shows on one page whether everything works, and what mends what does not; see --help. */
import { rejectionReasons, rejectionStatus } from '../src/engine/errors.js';
import { checkCluster, checkDisk, checkIndices } from './diagnosis/engine-checks.js';
import { checkErrors } from './diagnosis/error-checks.js';
import { type Check, fail, type Finding, type Patient, type State, warn } from './diagnosis/finding.js';
import { checkCertificates, checkRedis } from './diagnosis/outside-checks.js';
import { checkAlerts, checkBackup, checkFollowUp, checkSources } from './diagnosis/work-checks.js';
import { command } from './shared/command.js';
import { connectEngine, ENGINE_HELP, reachEngine } from './shared/engine.js';
import { CommandError, EXIT } from './shared/exit.js';
import { flag } from './shared/options.js';
import { start } from './shared/start.js';
import { textTable } from './shared/terminal.js';

/** The checks in the order of the page, and whether they need Elasticsearch. */
const CHECKS: readonly (readonly [name: string, check: Check, needsEngine: boolean])[] = [
  ['engine', checkCluster, true],
  ['redis', checkRedis, false],
  ['index', checkIndices, true],
  ['disk', checkDisk, true],
  ['backup', checkBackup, true],
  ['follow-up', checkFollowUp, true],
  ['sources', checkSources, true],
  ['alerts', checkAlerts, true],
  ['certificates', checkCertificates, false],
  ['errors', checkErrors, true],
];

const EXITS: Record<State, number> = { OK: EXIT.done, WARN: EXIT.due, FAIL: EXIT.failed };

export const main = command({
  name: 'doctor',
  about: `Shows on one page whether everything works: Elasticsearch, Redis and its persistence, the versions of the indices, a reindex,
rollback or restore that has not ended, disks, the age of the last backup, the follow-up of loads, late sources, the alerts of
clients, certificates, and the last error of each kind. Below each problem is the command that mends it, or where to read on. It
changes nothing.`,
  options: { json: flag('print JSON') },
  notes: `FAIL: something is refused or lost, or soon will be. WARN: something needs work, but can wait until the morning.

It needs a user with the role of the data team (catalog-data), and Redis at REDIS_URL, else that of a running demo, else
redis://localhost:6379. With PUBLIC_URL, it also checks the certificate of the proxy.

${ENGINE_HELP}.`,
  exits: { done: 'everything works', failed: 'at least one FAIL', due: 'at least one WARN, and no FAIL' },
  async run({ options: { json } }, env, { out, phrase = (line) => line }) {
    const engine = connectEngine(env);
    try {
      const patient: Patient = { engine, env, now: new Date() };
      const away = await reachEngine(engine).then(() => null, asProblem);
      const page = await Promise.all(
        CHECKS.map(async ([name, check, needsEngine]) => {
          const isSkipped = away !== null && needsEngine;
          const found = isSkipped ? [away] : await check(patient).catch(asProblem);
          return { name, found: [found].flat(), isSkipped };
        }),
      );
      // If Elasticsearch is unavailable, only the first of the checks that need it reports this.
      const findings = page
        .filter(({ isSkipped, name }) => !isSkipped || name === 'engine')
        .flatMap(({ name, found }) =>
          found.map(({ next, ...one }) => ({
            check: name,
            ...one,
            next: next === null ? null : phrase(next),
          })),
        );
      const state = (['FAIL', 'WARN'] as const).find((one) => findings.some((f) => f.state === one)) ?? 'OK';
      if (json) out.write(`${JSON.stringify({ state, findings }, null, 2)}\n`);
      else out.write(`${findings.map((one) => linesOf(one, phrase)).join('\n')}\n\n${summaryOf(findings)}\n`);
      return EXITS[state];
    } finally {
      await engine.es.close();
    }
  },
});

function asProblem(error: unknown): Finding {
  if (rejectionStatus(error) === 403) {
    const [reason = 'a privilege is missing'] = rejectionReasons(error);
    return warn(
      `this user may not check it: ${reason}`,
      'use the user of the data team; npm run engine-users updates its role',
    );
  }
  const text = error instanceof Error ? error.message : String(error);
  return fail(
    text,
    error instanceof CommandError ? 'docs/runbooks.md#cataloguedependencydown' : 'docs/runbooks.md',
  );
}

type Line = Finding & { check: string };

function linesOf({ state, check, text, next }: Line, phrase: (text: string) => string): string {
  const [first = '', ...more] = phrase(text).split('\n');
  const rest = [...more, ...(next === null ? [] : [`-> ${next}`])];
  return textTable([[state.padEnd(4), check.padEnd(12), first], ...rest.map((line) => ['', '', line])]);
}

function summaryOf(findings: readonly Line[]): string {
  const count = (state: State) => findings.filter((one) => one.state === state).length;
  const [fails, warns] = [count('FAIL'), count('WARN')];
  return fails + warns === 0 ? 'Everything works.' : `${fails} FAIL, ${warns} WARN`;
}

await start(import.meta.url, main);
