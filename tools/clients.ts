/** npm run clients: generates the API clients from the OpenAPI document; see --help. */
import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { command } from '../scripts/shared/command.js';
import { projectRoot } from '../scripts/shared/places.js';
import { start } from '../scripts/shared/start.js';
import { openApiDocument } from '../src/http/openapi/openapi.js';
import { agentPaths } from '../src/http/routes/agents.js';
import { endpoints } from '../src/http/routes/index.js';

const document = openApiDocument([...endpoints, ...agentPaths]);
export const POSTMAN_FILE = join(projectRoot, 'docs/catalogue.postman_collection.json');

export const CLIENT_FOLDER = join(projectRoot, 'clients/typescript');

export const main = command({
  name: 'clients',
  about: `Generates from the OpenAPI document what clients of the API use: docs/catalogue.postman_collection.json, which is in the
repository, and the types and the compiled files of clients/typescript, which are not. npm pack ./clients/typescript then
creates the package.`,
  options: {},
  async run(_given, _env, { err }) {
    writeFileSync(POSTMAN_FILE, `${JSON.stringify(postmanCollection(), null, 2)}\n`);
    await buildTypescriptClient();
    err.write('Generated docs/catalogue.postman_collection.json and clients/typescript/dist\n');
  },
});

export async function buildTypescriptClient(): Promise<void> {
  const types = await openapiTypescript(JSON.stringify(document));
  writeFileSync(join(CLIENT_FOLDER, 'src/schema.ts'), astToString(types));
  rmSync(join(CLIENT_FOLDER, 'dist'), { recursive: true, force: true });
  const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  await promisify(execFile)(process.execPath, [compiler, '-p', CLIENT_FOLDER]);
}

interface Parameter {
  name: string;
  in: string;
  required: boolean;
  description?: string;
  example?: unknown;
  schema: { default?: unknown };
}

interface Operation {
  operationId: string;
  tags: [string];
  summary: string;
  security: Record<string, unknown>[];
  parameters: Parameter[];
  requestBody?: { content: Record<string, { example: object }> };
}

export function postmanCollection(): object {
  const { info, paths } = document as {
    info: { title: string; description: string };
    paths: Record<string, Record<string, Operation>>;
  };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const tags = [...new Set(operations.map(({ operation }) => operation.tags[0]))];
  return {
    info: {
      name: info.title,
      description: info.description,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{key}}', type: 'string' }] },
    variable: [
      { key: 'url', value: 'http://localhost:3000' },
      { key: 'key', value: '' },
      { key: 'admin_secret', value: '' },
    ],
    item: tags.map((tag) => ({
      name: tag,
      item: operations
        .filter(({ operation }) => operation.tags[0] === tag)
        .map(({ path, method, operation }) => requestOf(path, method, operation)),
    })),
  };
}

function requestOf(path: string, method: string, operation: Operation): object {
  const { parameters, security } = operation;
  const body = operation.requestBody?.content['application/json']?.example;
  const segments = path.slice(1).replaceAll(/\{(\w+)\}/g, ':$1');
  const given = (where: string) => parameters.filter((parameter) => parameter.in === where);
  const header = [
    ...(body === undefined ? [] : [{ key: 'Content-Type', value: 'application/json' }]),
    ...(path === '/mcp' ? [{ key: 'Accept', value: 'application/json, text/event-stream' }] : []),
    ...(security.some((one) => 'adminSecret' in one)
      ? [{ key: 'X-Admin-Secret', value: '{{admin_secret}}' }]
      : []),
  ];
  return {
    name: operation.operationId,
    request: {
      method: method.toUpperCase(),
      description: operation.summary,
      header,
      ...(security.some((one) => 'bearer' in one) ? {} : { auth: { type: 'noauth' } }),
      url: {
        raw: `{{url}}/${segments}`,
        host: ['{{url}}'],
        path: segments === '' ? [] : segments.split('/'),
        query: given('query').map((parameter) => ({
          ...valueOf(parameter),
          disabled: !isFilledIn(parameter),
        })),
        variable: given('path').map(valueOf),
      },
      ...(body === undefined
        ? {}
        : { body: { mode: 'raw', raw: JSON.stringify(withSecret(body), null, 2) } }),
    },
  };
}

/** Replaces the admin secret by a variable, because the document has no example of a secret. */
const withSecret = (body: object): object =>
  'admin_secret' in body ? { ...body, admin_secret: '{{admin_secret}}' } : body;

const isFilledIn = ({ required, example }: Parameter): boolean => required || example !== undefined;

const valueOf = ({ name, description = '', example, schema }: Parameter) => ({
  key: name,
  value: [example ?? schema.default ?? ''].flat().join('|'),
  description,
});

await start(import.meta.url, main);
