import type { Described } from '../endpoint.js';
import { agentPaths } from '../routes/agents.js';
import { endpoints } from '../routes/index.js';
import { ucpPaths } from '../ucp/documented.js';

/** All paths of the OpenAPI document: the endpoints, and the paths for agents, which follow other protocols. */
export const documentedPaths: readonly Described[] = [...endpoints, ...agentPaths, ...ucpPaths];
