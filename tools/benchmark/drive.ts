import { createHistogram } from 'node:perf_hooks';
import { Pool } from 'undici';
import { median } from '../../scripts/shared/median.js';

export interface HttpRequest {
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body?: string;
}

/** The measurements of one period in which the benchmark sent requests to a server. */
export interface Sample {
  throughput: number;
  p50: number;
  p95: number;
  p99: number;
  answers: number;
  /** The number of failed requests: those with a status other than 2xx, and those without a response. */
  failed: number;
  bytes: number;
}

/** Sends requests for `seconds`, each after the response to the previous one of its connection. */
export async function drive(
  origin: string,
  next: () => HttpRequest,
  { concurrency, seconds }: { concurrency: number; seconds: number },
): Promise<Sample> {
  const pool = new Pool(origin, { connections: concurrency, pipelining: 1 });
  const latencies = createHistogram({ lowest: 1, highest: 120_000_000, figures: 3 });
  const tally = { answers: 0, failed: 0, bytes: 0 };
  const started = performance.now();
  const until = started + seconds * 1_000;
  const worker = async () => {
    while (performance.now() < until) {
      const sent = performance.now();
      const { ok, bytes } = await send(pool, next());
      latencies.record(Math.max(1, Math.round((performance.now() - sent) * 1_000)));
      tally.answers += 1;
      tally.bytes += bytes;
      if (!ok) tally.failed += 1;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  const elapsed = (performance.now() - started) / 1_000;
  await pool.close();
  const percentile = (share: number) => latencies.percentile(share) / 1_000;
  return {
    throughput: tally.answers / elapsed,
    p50: percentile(50),
    p95: percentile(95),
    p99: percentile(99),
    ...tally,
  };
}

/** Sends a request with Undici's `dispatch`, because processor time of the benchmark slows both sides. */
function send(pool: Pool, call: HttpRequest): Promise<{ ok: boolean; bytes: number }> {
  return new Promise((resolve) => {
    let ok = false;
    let bytes = 0;
    pool.dispatch(
      { method: call.method, path: call.path, headers: call.headers, body: call.body ?? null },
      {
        // Undici recognizes its current handler interface by the presence of the method `onRequestStart`.
        onRequestStart() {},
        onResponseStart(_controller, status) {
          ok = status >= 200 && status < 300;
        },
        onResponseData(_controller, chunk) {
          bytes += chunk.length;
        },
        onResponseEnd() {
          resolve({ ok, bytes });
        },
        onResponseError() {
          resolve({ ok: false, bytes });
        },
      },
    );
  });
}

/** Combines several samples into one: each field is the median of that field over the samples. */
export function medians(samples: readonly Sample[]): Sample {
  const of = (figure: keyof Sample) => median(samples.map((sample) => sample[figure]));
  const total = (figure: 'answers' | 'failed' | 'bytes') =>
    samples.reduce((sum, sample) => sum + sample[figure], 0);
  return {
    throughput: of('throughput'),
    p50: of('p50'),
    p95: of('p95'),
    p99: of('p99'),
    answers: total('answers'),
    failed: total('failed'),
    bytes: total('bytes'),
  };
}
