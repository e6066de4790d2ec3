// Chaos only (faults, sampled): it exports a large catalogue to twenty slow clients.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { assert } from 'chai';
import { parse } from 'csv-parse/sync';
import { startApi, type Api } from '../support/api.js';
import { isChaos } from '../support/chaos.js';
import { record } from '../support/listings.js';
import { elasticsearchUrl, redisUrl } from '../support/services.js';
import { until } from '../support/until.js';
import { program } from '../support/program.js';

/** The number of listings. Even the fewer ones of `npm test` are more than the buffers of a connection hold. */
const ROWS = isChaos ? 10_000 : 5_000;
const CLIENTS = 20;
const MAX_RESIDENT_MB = 400;
/**
 * The number of consecutive checks in which the service has sent no request to Elasticsearch, after which its buffers are
 * considered full. The last checks of `until` are a fifth of a second apart.
 */
const CALM_LOOKS = 5;
const WORDS =
  'wireless noise cancelling headphones with thirty hours of battery life, über-soft 耳机 cushions — '
    .split(' ')
    .filter((word) => word !== '');

const text = (i: number, length: number) =>
  Array.from({ length }, (_, at) => WORDS[(i + at * at) % WORDS.length]).join(' ');

/** Returns a feed record of a listing whose JSON has about 2 kB. */
const listing = (i: number) =>
  record({
    sku: `SPEE-${100_000 + i}`,
    source: 'shopee_sg',
    merchant_id: `merchant-${i % 97}`,
    name: `Auralis AX-${i} Wireless Headphones, ${WORDS[i % WORDS.length] ?? ''}`,
    description: text(i, 20),
    price: `${10 + (i % 400)}.90`,
    brand: 'Auralis',
    category: 'Over-ear Headphones',
    category_path: ['Electronics', 'Audio', 'Over-ear Headphones'],
    buy_url: `https://shop.example/products/${i}`,
    image_url: `https://images.example/${i}.jpg`,
    rating: '4.7',
    is_available: true,
    last_checked: '2026-01-02T03:04:05Z',
    // Metadata is not indexed, which would take much CPU time for long texts.
    metadata: {
      model: `AX-${i}`,
      attributes: { colour: 'black', warranty: '2 years' },
      notes: [text(i, 180)],
    },
  });

/** Measures the peak memory of a process in MB. Without `/proc`, it is the highest value that was seen. */
function watchMemory(pid: number) {
  let most = 0;
  const look = () => {
    const status = `/proc/${pid}/status`;
    const kilobytes = existsSync(status)
      ? /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(status, 'utf8'))?.[1]
      : execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' });
    most = Math.max(most, Number(kilobytes));
  };
  look();
  const timer = setInterval(look, 250);
  return {
    stop: () => {
      clearInterval(timer);
    },
    megabytes: () => {
      look();
      return most / 1024;
    },
  };
}

describe('exports to many slow clients', function () {
  this.timeout(300_000);
  let api: Api;
  let server: ChildProcess;
  let url: string;
  /** A key for each client, because a key may have only a few exports at a time. */
  let keys: string[];
  let memory: ReturnType<typeof watchMemory>;
  before(async () => {
    api = await startApi();
    await api.load(Array.from({ length: ROWS }, (_, i) => listing(i)));
    keys = await Promise.all(Array.from({ length: CLIENTS }, () => api.key()));
    server = spawn(process.execPath, program('src/main.ts'), {
      env: {
        ...process.env,
        ELASTICSEARCH_URL: elasticsearchUrl,
        REDIS_URL: redisUrl,
        INDEX_PREFIX: api.prefix,
        PUBLIC_URL: 'http://catalogue.example',
        PORT: '0',
        LOG_LEVEL: 'info',
        REDIS_DEADLINE_MS: '3000',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    server.stdout?.on('data', (chunk) => (output += String(chunk)));
    url = await until(() => /listening on (http:\/\/[^\s"]+)/.exec(output)?.[1] ?? '');
    memory = watchMemory(server.pid ?? 0);
  });
  after(async () => {
    memory.stop();
    server.kill('SIGKILL');
    await api.stop();
  });

  /** Opens an export. A busy Elasticsearch may open it late, so a 503 is repeated after the time that it states, as clients should. */
  const ask = async (client: number, format: string, encoding: string): Promise<IncomingMessage> => {
    const request = get(`${url}/v1/products/export?limit=${ROWS}&format=${format}`, {
      agent: false,
      headers: { authorization: `Bearer ${keys[client]}`, 'accept-encoding': encoding },
    });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    if (response.statusCode === 503) {
      response.resume();
      await sleep(Number(response.headers['retry-after']) * 1_000);
      return ask(client, format, encoding);
    }
    assert.equal(response.statusCode, 200);
    return response;
  };

  /** Reads a whole response slowly, piece by piece. */
  const readSlowly = async (response: IncomingMessage): Promise<Buffer> => {
    const zipped = response.headers['content-encoding'] === 'gzip';
    const body = zipped ? response.pipe(createGunzip()) : response;
    const chunks: Buffer[] = [];
    for await (const chunk of body) {
      chunks.push(chunk as Buffer);
      if (chunks.length % 8 === 0) await sleep(5);
    }
    assert.isTrue(response.complete);
    return Buffer.concat(chunks);
  };

  /**
   * Waits until the service requests nothing more from Elasticsearch for the exports, which means that its
   * buffers are full.
   */
  const untilIdle = async () => {
    const asked = async () => {
      const { _all: all } = await api.es.indices.stats({ index: api.products, metric: 'search' });
      return all.total?.search?.query_total;
    };
    let before: number | undefined;
    let calm = 0;
    await until(async () => {
      const now = await asked();
      calm = now === before ? calm + 1 : 0;
      before = now;
      return calm > CALM_LOOKS;
    });
  };

  const KINDS = [
    ['json', 'identity'],
    ['csv', 'identity'],
    ['ndjson', 'identity'],
    ['json', 'gzip'],
    ['ndjson', 'gzip'],
  ] as const;

  /** Returns the SKUs of an export in their order. */
  const skusOf = (format: string, text: string): string[] => {
    if (format === 'csv')
      return (parse(text, { record_delimiter: '\r\n', columns: true }) as { sku: string }[]).map(
        ({ sku }) => sku,
      );
    const json = format === 'json' ? text : `[${text.trimEnd().replaceAll('\n', ',')}]`;
    return (JSON.parse(json) as { sku: string }[]).map(({ sku }) => sku);
  };

  it('complete within a memory limit and leave nothing open in the engine', async () => {
    /** Opens an export for each client. They are opened in turn, so that even a busy Elasticsearch opens each in time. */
    const openAll = async () => {
      const opened: { format: string; response: IncomingMessage }[] = [];
      for (let i = 0; i < CLIENTS; i += 1) {
        const [format, encoding] = KINDS[i % KINDS.length] ?? KINDS[0];
        opened.push({ format, response: await ask(i, format, encoding) });
      }
      return opened;
    };
    const clients = await openAll();
    // No client reads for a while, so that the service buffers as much as it can.
    await untilIdle();
    const digests = new Map<string, Set<string>>();
    await Promise.all(
      clients.map(async ({ format, response }) => {
        const body = await readSlowly(response);
        const seen = digests.get(format) ?? new Set();
        digests.set(format, seen);
        const digest = createHash('sha1').update(body).digest('hex');
        if (seen.has(digest)) return;
        seen.add(digest);
        const skus = skusOf(format, body.toString());
        assert.lengthOf(skus, ROWS);
        assert.equal(new Set(skus).size, ROWS);
      }),
    );
    for (const [format, seen] of digests) assert.equal(seen.size, 1, `all ${format} exports are the same`);

    for (const { response } of await openAll()) {
      await once(response, 'data');
      response.destroy();
    }
    const peak = memory.megabytes();
    console.log(`      ${peak.toFixed(0)} MB resident at most`);
    assert.isBelow(peak, MAX_RESIDENT_MB);

    // The open search contexts on the index of this test.
    await until(async () => {
      const { _all: all } = await api.es.indices.stats({ index: api.products, metric: 'search' });
      return all.total?.search?.open_contexts === 0;
    });
    assert.equal((await fetch(`${url}/readyz`)).status, 200);
  });
});
