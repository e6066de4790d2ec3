import type { RequestHandler } from 'express';
import type { Logger } from '../../telemetry/logger.js';
import type { Context } from '../../usecases/context.js';
import type { AccessRule, Described, Endpoint } from '../endpoint.js';
import type { Perform } from '../perform.js';

export interface AgentOptions {
  context: Context;
  logger: Logger;
  checks: Record<AccessRule, { beforeBody: readonly RequestHandler[] }>;
  /** Counts a request against its rate limit, like the access checks. */
  limit: RequestHandler;
  /** The endpoints by method and path, such as `GET /v1/search`. */
  performers: ReadonlyMap<string, Perform>;
  performerOf(endpoint: Endpoint): Perform;
  /** Creates middleware that records requests to a path for logs and metrics. */
  servedBy(described: Described): RequestHandler;
}
