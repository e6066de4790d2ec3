import { setTimeout as sleep } from 'node:timers/promises';
import type { Io } from '../../scripts/shared/command.js';
import { read, type Reading } from './readings.js';
import { runFaults } from './faults.js';
import type { RedundantStage } from './redundant-stage.js';
import { recordReference, withFixedQuestions } from './reference.js';
import { described, progressLine, table, totals } from './report.js';
import { type Stage, subjectsOf } from './stage.js';
import { type Check, type Kind, kindsOf, type Question, startTraffic } from './traffic.js';
import { FLAT_RULE, memoryIsFlat } from './verdict.js';

/** The time after the last response in which the service closes its points in time and writes its events. */
const SETTLES_WITHIN_MS = 10_000;

/**
 * Sends requests, and prints the progress and a report. Times are in seconds. The requests of `warmUp`, at a
 * quarter of the rate, are not counted. On a stage with faults, every response is compared with the one
 * before the first fault. Returns the problems that were found.
 */
export async function soak(
  stage: Stage | RedundantStage,
  {
    minutes,
    rate,
    every,
    warmUp,
    faultEvery,
  }: { minutes: number; rate: number; every: number; warmUp: number; faultEvery: number },
  io: Io,
): Promise<string[]> {
  const say = (line: string) => {
    io.out.write(`${line}\n`);
  };
  const { kinds, check } = await questionsOf(stage, say);
  const ending = new AbortController();
  const signal = AbortSignal.any([ending.signal, io.signal]);
  const drive = (given: { rate: number; signal: AbortSignal }) =>
    startTraffic(stage.url, { kinds, keys: stage.keys, check, ...given });
  if (warmUp > 0) {
    const warming = new AbortController();
    const warm = drive({ rate: rate / 4, signal: warming.signal });
    await pause(warmUp * 1_000, signal);
    warming.abort();
    await warm.done;
    const { requests, errors } = totals(warm.outcomes);
    say(`warmed up with ${requests} requests, ${errors} errors, not counted`);
  }
  const timer = setTimeout(() => ending.abort(), minutes * 60_000);
  const started = performance.now();
  const seconds = () => (performance.now() - started) / 1_000;
  const first = await read(stage, 0);
  const readings: Reading[] = [first];
  const traffic = drive({ rate, signal });
  const faults =
    'faults' in stage
      ? runFaults(stage.faults, {
          everyMs: faultEvery * 1_000,
          signal,
          totals: () => totals(traffic.outcomes),
          onReport: ({ name, requests, failed, excused, wrong }) => {
            const outage = excused > 0 ? ` (${excused} of them during the outage)` : '';
            say(`  ${name}: ${requests} requests, ${failed} failed${outage}, ${wrong} answered wrongly`);
          },
        })
      : null;
  let told = 0;
  while (!signal.aborted) {
    const next = readings.length * every;
    await pause((next - seconds()) * 1_000, signal);
    const reading = await read(stage, seconds());
    readings.push(reading);
    if (reading.at < told + 60) continue;
    told = reading.at;
    say(progressLine(reading, traffic));
  }
  clearTimeout(timer);
  const excused = ((await faults) ?? []).reduce((sum, report) => sum + report.excused, 0);
  await traffic.done;
  const last = await settled(stage, seconds);
  const { lines, wrong } = report(traffic, { readings, first, last, excused });
  for (const line of lines) say(line);
  for (const each of wrong) io.err.write(`${each}\n`);
  return wrong;
}

/** Returns the kinds of requests. If the run causes faults, records the responses before the first one. */
async function questionsOf(
  stage: Stage | RedundantStage,
  say: (line: string) => void,
): Promise<{ kinds: Kind[]; check?: Check }> {
  const kinds = kindsOf(await subjectsOf(stage));
  if (!('faults' in stage)) return { kinds };
  const fixed = withFixedQuestions(kinds);
  let turn = 0;
  const { check, compared, varying } = await recordReference(
    fixed.questions,
    stage.instances,
    async (url, { method, path, body }: Question) => {
      turn += 1;
      const response = await fetch(new URL(path, url), {
        method,
        body,
        headers: {
          authorization: `Bearer ${stage.keys[turn % stage.keys.length] ?? ''}`,
          ...(body === null ? {} : { 'content-type': 'application/json' }),
        },
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${path} is answered with ${response.status}: ${text}`);
      return text;
    },
  );
  say(`${compared} answers are recorded, to compare others with; ${varying.length} vary by themselves`);
  for (const question of varying.slice(0, 5)) say(`  varies: ${question}`);
  return { kinds: fixed.kinds, check };
}

/** Takes a last measurement when nothing is open or waiting any more, or after a time limit. */
async function settled(stage: Stage, seconds: () => number): Promise<Reading> {
  const deadline = performance.now() + SETTLES_WITHIN_MS;
  for (;;) {
    const reading = await read(stage, seconds());
    const open = (reading.openContexts ?? 0) + (reading.queued ?? 0);
    if (open === 0 || performance.now() > deadline) return reading;
    await pause(250);
  }
}

function report(
  traffic: ReturnType<typeof startTraffic>,
  { readings, first, last, excused }: { readings: Reading[]; first: Reading; last: Reading; excused: number },
): { lines: string[]; wrong: string[] } {
  const { requests, errors, wrong: wrongAnswers } = totals(traffic.outcomes);
  const memory = memoryIsFlat(readings);
  const percent = ((100 * errors) / Math.max(1, requests)).toFixed(3);
  const lines = [
    `\n${table(traffic.outcomes)}\n`,
    `${requests} requests, ${errors} errors: ${percent} %`,
    ...(excused > 0 ? [`${excused} of the errors came while there was no engine or no key store`] : []),
    `at start: ${described(first).join(', ') || 'nothing to read'}`,
    `at end:   ${described(last).join(', ') || 'nothing to read'}`,
  ];
  if (memory !== null) {
    const { second, last: end } = memory;
    lines.push(
      `resident memory, medians: ${second.toFixed(0)} MB in the second quarter, ${end.toFixed(0)} MB in the last`,
    );
  }
  const wrong = [
    ...(wrongAnswers > 0 ? [`${wrongAnswers} wrong answers:\n  ${traffic.errors.join('\n  ')}`] : []),
    ...(errors > excused ? [`${errors} errors:\n  ${traffic.errors.join('\n  ')}`] : []),
    ...(memory?.flat === false ? [`memory is not flat: that would be, if ${FLAT_RULE}`] : []),
    ...((last.openContexts ?? 0) > 0 ? [`${last.openContexts} points in time are left open`] : []),
    ...((last.dropped ?? 0) > (first.dropped ?? 0) ? ['events were lost'] : []),
  ];
  return { lines, wrong };
}

/** Waits for some milliseconds, or until the signal aborts. */
const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  sleep(Math.max(0, ms), undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
