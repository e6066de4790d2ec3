import { setTimeout as sleep } from 'node:timers/promises';
import type { Io } from '../../scripts/shared/command.js';
import { formatCount } from '../../src/text/quantities.js';
import {
  describeMeasurement,
  FLAT_RULE,
  measure,
  type Measurement,
  memoryIsFlat,
  percentile,
  totals,
  trafficTable,
} from './measurements.js';
import { runFaults } from './faults.js';
import type { RedundantStage } from './redundant-stage.js';
import { recordReference, withFixedQuestions } from './reference.js';
import { type Stage, subjectsOf } from './stage.js';
import { type Check, type Kind, kindsOf, startTraffic, type Traffic } from './traffic.js';
import { pause } from '../../src/platform/pause.js';

/** The time for closing points in time and writing events after the last response. */
const SETTLES_WITHIN_MS = 10_000;

/** Sends requests, and returns the problems after `warmUp` seconds. With faults, responses are compared with recorded ones. */
export async function soak(
  stage: Stage | RedundantStage,
  plan: { minutes: number; rate: number; every: number; warmUp: number; faultEvery: number },
  io: Io,
): Promise<string[]> {
  const { minutes, rate, every, warmUp, faultEvery } = plan;
  const print = (line: string) => void io.out.write(`${line}\n`);
  const { kinds, check } = await questionsOf(stage, print);
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
    const { requests, errors } = totals(warm);
    print(`Warm-up: ${requests} requests, ${errors} errors; they are not counted.`);
  }
  const timer = setTimeout(() => ending.abort(), minutes * 60_000);
  const started = performance.now();
  const seconds = () => (performance.now() - started) / 1_000;
  const measurements = [await measure(stage, 0)];
  const traffic = drive({ rate, signal });
  const faults =
    'faults' in stage
      ? runFaults(stage.faults, {
          everyMs: faultEvery * 1_000,
          signal,
          totals: () => totals(traffic),
          onReport: ({ name, requests, failed, excused, wrong }) => {
            const outage = excused > 0 ? ` (${excused} of them during the outage)` : '';
            print(
              `  ${name}: ${requests} requests, ${failed} failed${outage}, ${wrong} with a wrong response`,
            );
          },
        })
      : null;
  let reportedAt = 0;
  while (!signal.aborted) {
    const next = measurements.length * every;
    await pause((next - seconds()) * 1_000, signal);
    const measurement = await measure(stage, seconds());
    measurements.push(measurement);
    if (measurement.at < reportedAt + 60) continue;
    reportedAt = measurement.at;
    print(progressLine(measurement, traffic));
  }
  clearTimeout(timer);
  const excused = ((await faults) ?? []).reduce((sum, report) => sum + report.excused, 0);
  await traffic.done;
  const last = await settled(stage, seconds);
  const problems = report(traffic, measurements, { last, excused }, print);
  for (const problem of problems) io.err.write(`${problem}\n`);
  return problems;
}

function progressLine(measurement: Measurement, traffic: Traffic): string {
  const { requests, errors } = totals(traffic);
  return [
    `${(measurement.at / 60).toFixed(1)} min: ${formatCount(requests)} requests`,
    `${errors} errors`,
    `search p99 ${percentile(traffic, 'search', 99)} ms`,
    ...describeMeasurement(measurement),
  ].join(', ');
}

/** The kinds of requests; with faults, their correct responses are recorded first. */
async function questionsOf(
  stage: Stage | RedundantStage,
  print: (line: string) => void,
): Promise<{ kinds: Kind[]; check?: Check }> {
  const kinds = kindsOf(await subjectsOf(stage));
  if (!('faults' in stage)) return { kinds };
  const fixed = withFixedQuestions(kinds);
  let sent = 0;
  const { check, compared, varying } = await recordReference(
    fixed.questions,
    stage.instances,
    async (url, { method, path, body }) => {
      sent += 1;
      const response = await fetch(new URL(path, url), {
        method,
        body,
        headers: {
          authorization: `Bearer ${stage.keys[sent % stage.keys.length] ?? ''}`,
          ...(body === null ? {} : { 'content-type': 'application/json' }),
        },
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${path} has the status ${response.status}: ${text}`);
      return text;
    },
  );
  print(
    `Recorded ${compared} responses for comparison; ${varying.length} requests are not compared, because their responses vary:`,
  );
  for (const question of varying.slice(0, 5)) print(`  ${question}`);
  return { kinds: fixed.kinds, check };
}

/** Measures until nothing is open or waiting any more, or until a time limit, and returns the last measurement. */
async function settled(stage: Stage, seconds: () => number): Promise<Measurement> {
  const deadline = performance.now() + SETTLES_WITHIN_MS;
  for (;;) {
    const measurement = await measure(stage, seconds());
    const open = (measurement.openContexts ?? 0) + (measurement.queued ?? 0);
    if (open === 0 || performance.now() > deadline) return measurement;
    await sleep(250);
  }
}

function report(
  traffic: Traffic,
  measurements: readonly Measurement[],
  { last, excused }: { last: Measurement; excused: number },
  print: (line: string) => void,
): string[] {
  const { requests, errors, wrong } = totals(traffic);
  const [first = last] = measurements;
  print(`\n${trafficTable(traffic)}\n`);
  print(`${requests} requests, ${errors} errors: ${((100 * errors) / Math.max(1, requests)).toFixed(3)} %`);
  if (excused > 0) print(`${excused} of the errors occurred while Elasticsearch or Redis was unavailable`);
  print(`at start: ${describeMeasurement(first).join(', ') || 'no measurement'}`);
  print(`at end:   ${describeMeasurement(last).join(', ') || 'no measurement'}`);
  const memory = memoryIsFlat(measurements);
  if (memory !== null)
    print(
      `median of resident memory: ${memory.second.toFixed(0)} MB in the second quarter, ${memory.last.toFixed(0)} MB in the last`,
    );
  const details = traffic.errors.join('\n  ');
  return [
    ...(wrong > 0 ? [`${wrong} wrong responses:\n  ${details}`] : []),
    ...(errors > excused ? [`${errors} errors:\n  ${details}`] : []),
    ...(memory?.flat === false ? [`Memory is not constant. It would be if ${FLAT_RULE}.`] : []),
    ...((last.openContexts ?? 0) > 0 ? [`${last.openContexts} points in time are still open`] : []),
    ...((last.dropped ?? 0) > (first.dropped ?? 0) ? ['events were lost'] : []),
  ];
}
