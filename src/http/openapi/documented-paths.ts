import type { Described } from '../endpoint.js';
import { agentPaths } from '../agents/paths.js';
import { endpoints } from '../routes/index.js';
import { ucpPaths } from '../agents/ucp/documented.js';

/** All paths of the OpenAPI document: the endpoints, and the paths for agents, which follow other protocols. */
export const documentedPaths: readonly Described[] = [...endpoints, ...agentPaths, ...ucpPaths];
