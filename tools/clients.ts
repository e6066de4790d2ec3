/** npm run clients: generates the API clients from the OpenAPI document; see --help. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { command } from '../scripts/shared/command.js';
import { UsageError } from '../scripts/shared/exit.js';
import { projectRoot } from '../scripts/shared/places.js';
import { start } from '../scripts/shared/start.js';
import { documentedPaths } from '../src/http/agents/index.js';
import { openApiDocument } from '../src/http/openapi/openapi.js';
import { resolvedOperations } from './openapi-operations.js';
import { CLIENT_GENERATOR, providePython } from './schemathesis/virtual-environment.js';

const document = openApiDocument(documentedPaths);
export const POSTMAN_FILE = join(projectRoot, 'docs/catalogue.postman_collection.json');

const run = promisify(execFile);

export const clientFolder = (language: string): string => join(projectRoot, 'clients', language);

const BUILDERS: Record<string, (log: (line: string) => void) => Promise<unknown>> = {
  typescript: buildTypescriptClient,
  python: buildPythonClient,
  go: buildGoClient,
};

export const main = command({
  name: 'clients',
  about: `Generates from the OpenAPI document what clients of the API use: docs/catalogue.postman_collection.json, which is in the
repository, and the clients for some languages, which are not: typescript (the default), python, go. clients/README.md
describes how they are used.`,
  operands: { show: 'LANGUAGE...' },
  options: {},
  notes: `The Python client needs Python 3.11 with venv, the Go client needs Go 1.26; both generators are downloaded.

  npm run clients -- python go`,
  async run({ operands }, _env, { err }) {
    const languages = operands.length === 0 ? ['typescript'] : operands;
    const log = (line: string) => void err.write(`${line}\n`);
    for (const language of languages)
      if (!Object.hasOwn(BUILDERS, language))
        throw new UsageError(
          `There is no client for "${language}", only for ${Object.keys(BUILDERS).join(', ')}`,
        );
    writeFileSync(POSTMAN_FILE, `${JSON.stringify(postmanCollection(), null, 2)}\n`);
    log('Generated docs/catalogue.postman_collection.json');
    for (const language of languages) {
      await BUILDERS[language]?.(log);
      log(`Generated clients/${language}`);
    }
  },
});

export async function buildTypescriptClient(): Promise<void> {
  const folder = clientFolder('typescript');
  // A member with a default value may be left out of a request.
  const types = await openapiTypescript(JSON.stringify(document), { defaultNonNullable: false });
  writeFileSync(join(folder, 'src/schema.ts'), astToString(types));
  rmSync(join(folder, 'dist'), { recursive: true, force: true });
  const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  await run(process.execPath, [compiler, '-p', folder]);
}

/** Generates the Python client in a virtual environment. @returns the folder of its programs, with what the client needs. */
export async function buildPythonClient(log: (line: string) => void): Promise<string> {
  const programs = await providePython([CLIENT_GENERATOR], log);
  const output = join(clientFolder('python'), 'product_catalogue_client');
  await withDocument((file) =>
    run(
      join(programs, 'openapi-python-client'),
      ['generate', '--path', file, '--meta', 'none', '--overwrite', '--output-path', output],
      // The generator formats its files with a program of the virtual environment.
      { env: { ...process.env, PATH: [programs, process.env['PATH']].join(delimiter) } },
    ),
  );
  return programs;
}

/** Generates the Go client with oapi-codegen, whose version `clients/go/go.mod` states. */
export async function buildGoClient(): Promise<void> {
  mkdirSync(join(clientFolder('go'), 'catalogue'), { recursive: true });
  await withDocument((file) =>
    run('go', ['tool', 'oapi-codegen', '-config', 'oapi-codegen.yaml', file], { cwd: clientFolder('go') }),
  );
}

async function withDocument(use: (file: string) => Promise<unknown>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'openapi-'));
  try {
    const file = join(folder, 'openapi.json');
    writeFileSync(file, JSON.stringify(document));
    await use(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface Parameter {
  name: string;
  in: string;
  required: boolean;
  description?: string;
  example?: unknown;
  schema: { default?: unknown };
}

interface PostmanOperation {
  path: string;
  method: string;
  operation: {
    operationId: string;
    tags: [string];
    summary: string;
    security: Record<string, unknown>[];
    parameters: Parameter[];
    requestBody?: { content: Record<string, { example: object }> };
  };
}

export function postmanCollection(): object {
  const { info } = document as { info: { title: string; description: string } };
  const operations = resolvedOperations(document) as unknown as PostmanOperation[];
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
      item: operations.filter(({ operation }) => operation.tags[0] === tag).map(requestOf),
    })),
  };
}

function requestOf({ path, method, operation }: PostmanOperation): object {
  const { parameters, security } = operation;
  const body = operation.requestBody?.content['application/json']?.example;
  const segments = path.slice(1).replaceAll(/\{(\w+)\}/g, ':$1');
  const given = (where: string) => parameters.filter((parameter) => parameter.in === where);
  const header = [
    ...given('header').filter(isFilledIn).map(valueOf),
    ...(body === undefined ? [] : [{ key: 'Content-Type', value: 'application/json' }]),
    ...(path.endsWith('/mcp') ? [{ key: 'Accept', value: 'application/json, text/event-stream' }] : []),
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
