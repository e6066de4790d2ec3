import { agentPaths } from '../../src/endpoints/agents.js';
import { endpoints } from '../../src/endpoints/index.js';
import { openApiDocument } from '../../src/http/openapi.js';

/** The OpenAPI document that the service answers. */
export const document = openApiDocument([...endpoints, ...agentPaths]);
