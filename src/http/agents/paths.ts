import type { Described } from '../endpoint.js';
import { endpoints } from '../routes/index.js';
import { documentPaths } from './documents.js';
import { mcpPath } from './mcp/path.js';
import { ucpPaths } from './ucp/operations.js';

export const agentPaths: readonly Described[] = [mcpPath, ...documentPaths, ...ucpPaths];

/** All paths of the OpenAPI document of a service with agents. */
export const documentedPaths: readonly Described[] = [...endpoints, ...agentPaths];
