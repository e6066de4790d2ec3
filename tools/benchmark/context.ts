import type { HttpRequest } from './drive.js';
import type { Estimate } from '../../src/text/statistics.js';
import type { Target } from './estimate.js';
import type { BenchContext } from './environment.js';

export interface BenchFinding extends Estimate {
  work: string;
  figure: string;
  /** The target of the benchmark figure; null if the figure is for information only. */
  target: Target | null;
  /** The word with which the report describes an improvement of the benchmark figure; `faster` by default. */
  better?: string;
  worse?: string;
  /** Whether a lower figure is better, if it has no target. */
  lessIsBetter?: boolean;
  /** The number of decimals with which the benchmark figure is displayed; 2 by default. */
  digits?: number;
  unit?: string;
  /** The measured values from which the benchmark figure was computed, as text for the report. */
  details: string;
}

export type Measure = (context: BenchContext) => Promise<BenchFinding[]>;

export interface ApiRequest {
  method?: 'GET' | 'POST';
  path: string;
  body?: unknown;
}

export function httpRequest(context: BenchContext, { method = 'GET', path, body }: ApiRequest): HttpRequest {
  const headers = { authorization: context.authorization() };
  return body === undefined
    ? { method, path, headers }
    : {
        method,
        path,
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      };
}
