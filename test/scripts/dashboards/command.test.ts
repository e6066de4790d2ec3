// Not a unit test: starts a server and waits for retries.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert } from 'chai';
import { main } from '../../../scripts/kibana.js';
import { savedObjects, toNdjson } from '../../../scripts/dashboards/saved-objects.js';
import { run } from '../../support/command.js';
import { listening } from '../../support/server.js';

interface Asked {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  /** The file in a multipart request. */
  file?: { field: string; name: string; text: string };
}

interface Answer {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

/** A server that responds as Kibana's documentation states, and records the requests. */
class StandIn {
  readonly asked: Asked[] = [];
  readonly #answers = new Map<string, Answer[]>();
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      const answerTo = async () => {
        const { method = '', url = '', headers } = request;
        const upload = await filesOf(headers['content-type'], Buffer.concat(chunks));
        this.asked.push({ method, url, headers, ...(upload === undefined ? {} : { file: upload }) });
        const path = url.split('?')[0] ?? '';
        const answers = this.#answers.get(path) ?? [];
        const missing: Answer = { status: 404, body: { message: 'Not Found' } };
        const answer = (answers.length > 1 ? answers.shift() : answers[0]) ?? missing;
        response.writeHead(answer.status, { 'Content-Type': 'application/json', ...answer.headers });
        response.end(JSON.stringify(answer.body));
      };
      request.on('end', () => void answerTo());
    });
  }

  start(): Promise<string> {
    return listening(this.#server);
  }

  /** Sets the responses to successive requests; the last one is repeated. */
  on(path: string, ...answers: Answer[]): this {
    this.#answers.set(path, answers);
    return this;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

async function filesOf(type: string | undefined, body: Buffer): Promise<Asked['file']> {
  if (type?.startsWith('multipart/form-data') !== true) return undefined;
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
  const [[field, value] = [], ...others] = [...form.entries()];
  if (field === undefined || !(value instanceof File) || others.length > 0) throw new Error('not one file');
  return { field, name: value.name, text: await value.text() };
}

const READY = {
  status: 200,
  body: { version: { number: '9.4.3' }, status: { overall: { level: 'available' } } },
};
const IMPORT = '/api/saved_objects/_import';
const taken = (
  objects: { type: string; id: string; destinationId?: string; meta?: { title: string } }[],
) => ({ status: 200, body: { success: true, successCount: objects.length, successResults: objects } });
const dashboard = { type: 'dashboard', id: 'shop-traffic', meta: { title: 'Traffic (shop)' } };

describe('kibana command', function () {
  let kibana: StandIn;
  let url: string;
  const directory = mkdtempSync(join(tmpdir(), 'kibana-command-'));

  beforeEach(async () => {
    kibana = new StandIn();
    url = await kibana.start();
  });
  afterEach(() => {
    kibana.stop();
  });
  after(() => {
    rmSync(directory, { recursive: true });
  });

  const kibanaCommand = async (args: string[], env: NodeJS.ProcessEnv = {}) => {
    const unset = { KIBANA_API_KEY: undefined, KIBANA_USERNAME: undefined, KIBANA_PASSWORD: undefined };
    const given = { ...unset, INDEX_PREFIX: 'shop', KIBANA_URL: url, ...env };
    const { code, out: stdout, err: stderr } = await run(main, args, { env: given });
    return { code, stdout, stderr };
  };

  it('overwrites existing objects, and prints the addresses of the dashboards', async () => {
    kibana
      .on('/api/status', READY)
      .on(IMPORT, taken([{ type: 'index-pattern', id: 'shop-loads' }, dashboard]));
    const { code, stdout } = await kibanaCommand([], {
      KIBANA_USERNAME: 'elastic',
      KIBANA_PASSWORD: 'pass:wörd',
    });
    assert.strictEqual(code, 0);
    const [status, upload] = kibana.asked;
    assert.deepInclude(status, { method: 'GET', url: '/api/status' });
    assert.deepInclude(upload, { method: 'POST', url: `${IMPORT}?overwrite=true` });
    assert.isNotEmpty(upload?.headers['kbn-xsrf']);
    assert.strictEqual(
      upload?.headers.authorization,
      `Basic ${Buffer.from('elastic:pass:wörd').toString('base64')}`,
    );
    assert.deepEqual(upload?.file, {
      field: 'file',
      name: 'catalogue.ndjson',
      text: toNdjson(savedObjects('shop')),
    });
    assert.match(stdout, /^Loaded 1 data views and 1 dashboards:\n {2}Traffic \(shop\) {2}http/);
    assert.include(stdout, `${url}/app/dashboards#/view/shop-traffic\n`);
    assert.notInclude(stdout, 'wörd');
  });

  it('works in a space, behind a base path, with an API key, and follows ids that Kibana changed', async () => {
    kibana
      .on('/base/api/status', READY)
      .on('/base/api/spaces/space/team-a', { status: 200, body: { id: 'team-a' } })
      .on(`/base/s/team-a${IMPORT}`, taken([{ ...dashboard, destinationId: '0a1b' }]));
    const env = { KIBANA_URL: `${url}/base/`, KIBANA_API_KEY: 'a2V5' };
    const { code, stdout } = await kibanaCommand(['--space', 'team-a'], env);
    assert.strictEqual(code, 0);
    for (const { headers } of kibana.asked) assert.strictEqual(headers.authorization, 'ApiKey a2V5');
    assert.include(stdout, `${url}/base/s/team-a/app/dashboards#/view/0a1b\n`);
  });

  it('waits for a Kibana that is starting, and reports it', async () => {
    const starting = { status: 503, body: 'Kibana server is not ready yet' };
    const unavailable = { status: 503, body: { status: { overall: { level: 'unavailable' } } } };
    kibana.on('/api/status', starting, unavailable, READY).on(IMPORT, taken([dashboard]));
    const { code, stderr } = await kibanaCommand([]);
    assert.strictEqual(code, 0);
    assert.strictEqual(stderr.match(/Waiting for Kibana/g)?.length, 1);
    assert.strictEqual(kibana.asked.length, 4);
  });

  it('gives up after the time in --wait', async () => {
    kibana.on('/api/status', { status: 503, body: { status: { overall: { level: 'critical' } } } });
    const { code, stderr } = await kibanaCommand(['--wait', '0']);
    assert.strictEqual(code, 1);
    assert.match(stderr, /^Kibana at http:\S+ is not ready: critical\. Start it, or set KIBANA_URL/m);
    kibana.stop();
    const gone = await kibanaCommand(['--wait', '0']);
    assert.strictEqual(gone.code, 1);
    assert.match(gone.stderr, /is not ready: ECONNREFUSED/);
  });

  it('reports which objects Kibana rejected, and why', async () => {
    kibana.on('/api/status', READY).on(IMPORT, {
      status: 200,
      body: {
        success: false,
        successCount: 4,
        errors: [
          {
            type: 'dashboard',
            id: 'shop-traffic',
            error: { type: 'unknown', message: 'too new', statusCode: 400 },
          },
          {
            type: 'dashboard',
            id: 'shop-catalogue',
            error: { type: 'missing_references', references: [{ type: 'index-pattern', id: 'shop-loads' }] },
          },
        ],
      },
    });
    const { code, stderr } = await kibanaCommand([]);
    assert.strictEqual(code, 1);
    assert.include(stderr, 'dashboard shop-traffic: unknown: too new\n');
    assert.include(stderr, 'dashboard shop-catalogue: missing_references: index-pattern shop-loads\n');
  });

  const old = { version: { number: '8.19.2' }, status: READY.body.status };
  const refusals: [what: string, message: RegExp, status: Answer, load?: Answer, args?: string[]][] = [
    ['a login that it does not know', /set KIBANA_API_KEY/, { status: 401, body: {} }],
    [
      'a login that may not',
      /does not permit this \(403\): the user needs/,
      READY,
      { status: 403, body: { message: 'Forbidden' } },
    ],
    ['a space that is not there', /There is no space "nowhere"/, READY, undefined, ['--space', 'nowhere']],
    [
      'a Kibana that is too old',
      /is 8\.19\.2: these dashboards need 9\.0 or newer/,
      { status: 200, body: old },
    ],
    [
      'a redirection to a login page',
      /redirects \(302\): set KIBANA_URL with its base path/,
      { status: 302, body: '', headers: { Location: '/login' } },
    ],
    ['what is not Kibana', /is not Kibana/, { status: 200, body: ['hello'] }],
    [
      'an upload that is refused',
      /responds with status 413: Payload too large\./,
      READY,
      { status: 413, body: { message: 'Payload too large' } },
    ],
  ];
  for (const [what, message, status, load, args = []] of refusals) {
    it(`ends with a plain message for ${what}`, async () => {
      kibana.on('/api/status', status);
      if (load !== undefined) kibana.on(IMPORT, load);
      const { code, stderr } = await kibanaCommand(args);
      assert.strictEqual(code, 1);
      assert.match(stderr, message);
      assert.notMatch(stderr, /^\s+at /m, 'no stack');
    });
  }

  it('rejects an invalid command line or variable before it sends a request', async () => {
    const cases: [string[], NodeJS.ProcessEnv, RegExp][] = [
      [['--spaces', 'a'], {}, /--help shows how to use it/],
      [['--space', '../a'], {}, /--space is the id of a space/],
      [['--wait', 'long'], {}, /--wait must be a whole number/],
      [[], { KIBANA_URL: 'kibana:5601' }, /KIBANA_URL must be an address/],
      [[], { KIBANA_URL: 'http://elastic:hidden@kibana' }, /KIBANA_URL must not contain a password/],
      [[], { KIBANA_USERNAME: 'elastic' }, /KIBANA_PASSWORD must be set/],
      [[], { INDEX_PREFIX: 'Shop' }, /INDEX_PREFIX must consist of/],
    ];
    const runs = cases.map(async ([args, env, message]) => ({
      message,
      ...(await kibanaCommand(args, env)),
    }));
    for (const { code, stderr, message } of await Promise.all(runs)) {
      assert.strictEqual(code, 2);
      assert.match(stderr, message);
      assert.notInclude(stderr, 'hidden');
    }
    assert.isEmpty(kibana.asked);
  });

  it('writes a file instead with --out', async () => {
    const file = join(directory, 'catalogue.ndjson');
    const { code, stderr } = await kibanaCommand(['--out', file]);
    assert.strictEqual(code, 0);
    assert.include(stderr, 'Stack Management');
    assert.strictEqual(readFileSync(file, 'utf8'), toNdjson(savedObjects('shop')));
    assert.strictEqual((await kibanaCommand(['--out', '-'])).stdout, toNdjson(savedObjects('shop')));
    const { code: failed, stderr: why } = await kibanaCommand(['--out', join(directory, 'no', 'such')]);
    assert.strictEqual(failed, 1);
    assert.match(why, /cannot be written \(ENOENT\)/);
    assert.isEmpty(kibana.asked);
  });

  it('has a help text', async () => {
    const { code, stdout } = await kibanaCommand(['--help']);
    assert.strictEqual(code, 0);
    for (const word of ['KIBANA_URL', 'KIBANA_API_KEY', '--space', '--out', 'INDEX_PREFIX'])
      assert.include(stdout, word);
  });
});
