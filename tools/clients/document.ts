import { agentPaths } from '../../src/http/routes/agents.js';
import { endpoints } from '../../src/http/routes/index.js';
import { openApiDocument } from '../../src/http/openapi/openapi.js';

export const document = openApiDocument([...endpoints, ...agentPaths]);
