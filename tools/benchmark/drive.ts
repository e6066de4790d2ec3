import { createHistogram } from 'node:perf_hooks';
import { Pool } from 'undici';

export interface HttpRequest {
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body?: string;
}

/** The measurements of one period in which the benchmark sent requests to a server. */
export interface Sample {
  /** The number of responses per second. */
  throughput: number;
  /** Percentiles of the response times in milliseconds. */
  p50: number;
  p99: number;
  answers: number;
  /** The number of failed requests: those with a status other than 2xx and 404, and those without a response. */
  failed: number;
}

/** Sends requests over several connections for `seconds`. On each, a request follows the response to the previous one. */
export async function drive(
  origin: string,
  next: () => HttpRequest,
  { concurrency, seconds }: { concurrency: number; seconds: number },
): Promise<Sample> {
  const pool = new Pool(origin, { connections: concurrency, pipelining: 1 });
  const latencies = createHistogram({ lowest: 1, highest: 120_000_000, figures: 3 });
  const started = performance.now();
  const until = started + seconds * 1_000;
  let [answers, failed] = [0, 0];
  const worker = async () => {
    while (performance.now() < until) {
      const sent = performance.now();
      if (!(await send(pool, next()))) failed += 1;
      latencies.record(Math.max(1, Math.round((performance.now() - sent) * 1_000)));
      answers += 1;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  const throughput = (answers * 1_000) / (performance.now() - started);
  await pool.close();
  const [p50, p99] = [latencies.percentile(50) / 1_000, latencies.percentile(99) / 1_000];
  return { throughput, p50, p99, answers, failed };
}

/** Sends a request with `dispatch`, which takes little CPU time. @returns whether the status is 2xx, or 404 (no best price). */
function send(pool: Pool, { method, path, headers, body }: HttpRequest): Promise<boolean> {
  return new Promise((resolve) => {
    let ok = false;
    pool.dispatch(
      { method, path, headers, body: body ?? null },
      {
        // Undici recognizes its current handler interface by the presence of the method `onRequestStart`.
        onRequestStart() {},
        onResponseStart(_controller, status) {
          ok = (status >= 200 && status < 300) || status === 404;
        },
        onResponseData() {},
        onResponseEnd: () => resolve(ok),
        onResponseError: () => resolve(false),
      },
    );
  });
}
