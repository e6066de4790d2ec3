import { hash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { ApiError, invalidValue, unavailable } from '../errors.js';
import type { RedisBreaker } from './redis-breaker.js';
import { redisName } from '../stored.js';

/** How long the answer to a request with an `Idempotency-Key` is stored, in seconds. */
const STORED_S = 86_400;
/** After how many seconds an unfinished request no longer blocks its `Idempotency-Key`. */
const PENDING_S = 120;
/** How long a request waits for the same request to end, and how often it checks whether it has, in ms. */
const WAIT_MS = 5_000;
const POLL_MS = 50;
/** The number of bytes of stored answers, compressed, after which an API key gets 429 until its period of `STORED_S` ends. */
export const MAX_STORED_BYTES = 32 * 1024 * 1024;

/** Deletes a lock or the mark of a running request, unless it has expired after `PENDING_S` and now belongs to another one. */
const RELEASE = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end`;

/**
 * Stores an answer, unless another request has taken its place, and adds its size to the bytes of the API key. KEYS: the record; the
 * bytes of the API key. ARGV: the mark of the running request; the answer; `STORED_S`.
 */
const STORE = `
local found = redis.call('GET', KEYS[1])
if found and found ~= ARGV[1] then return end
redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3])
redis.call('INCRBY', KEYS[2], #ARGV[2])
redis.call('EXPIRE', KEYS[2], ARGV[3], 'NX')
`;

export interface IdempotentRequest {
  /** The id of the API key of the client. Different clients may use the same `Idempotency-Key`. */
  owner: string;
  path: string;
  name: string;
  /** What the request with the same `name` must repeat. Only its hash is stored. */
  content: Buffer | string;
}

/** What Redis stores for a request: `answer` is absent while it is running. */
interface RequestRecord {
  fingerprint: string;
  token?: string;
  answer?: unknown;
}

/** Keeps requests that clients repeat from being carried out twice. */
export class Idempotency {
  constructor(
    private readonly redis: RedisBreaker,
    private readonly prefix: string,
  ) {}

  /** Runs work while no other process runs work of this name. @throws ApiError 503 without Redis, or if the other goes on. */
  async oneAtATime<T>(name: string, work: () => Promise<T>): Promise<T> {
    const lock = redisName(this.prefix, 'running', name);
    const token = Buffer.from(randomUUID());
    const acquire = () => this.redis.require((redis) => redis.set(lock, token, 'EX', PENDING_S, 'NX'));
    const started = performance.now();
    while ((await acquire()) === null) {
      if (performance.now() - started > WAIT_MS) throw unavailable();
      await sleep(POLL_MS);
    }
    try {
      return await work();
    } finally {
      await this.#release(lock, token);
    }
  }

  /**
   * Runs the work of a request with an `Idempotency-Key` once a day, or returns what was stored. Errors are not stored.
   * @throws ApiError 409 while it is running, 422 for another body, 429 if the key has stored too much, 503 without Redis.
   */
  async once<T, Stored>(
    request: IdempotentRequest,
    work: () => Promise<T>,
    toStored: (result: T) => Stored,
  ): Promise<{ result: T } | { stored: Stored }> {
    const { owner, content } = request;
    const record = this.#recordOf(request);
    const bytes = redisName(this.prefix, 'idempotency-bytes', owner);
    const fingerprint = hash('sha256', content, 'base64url');
    const pending = encode({ fingerprint, token: randomUUID() });
    const isFirst = await this.redis.require((redis) => redis.set(record, pending, 'EX', PENDING_S, 'NX'));
    if (isFirst === null) return { stored: await this.#storedAnswer<Stored>(record, fingerprint) };
    try {
      await this.#checkBytes(bytes);
      const result = await work();
      const stored = encode({ fingerprint, answer: toStored(result) });
      // The work was done, so the request succeeds even if its answer cannot be stored.
      await this.redis
        .run((redis) => redis.eval(STORE, 2, record, bytes, pending, stored, STORED_S))
        .catch(() => undefined);
      return { result };
    } catch (error) {
      await this.#release(record, pending);
      throw error;
    }
  }

  /** @throws ApiError 409 while a request with the same `Idempotency-Key` is running, whatever its body; 503 without Redis. */
  async checkNotRunning(request: Omit<IdempotentRequest, 'content'>): Promise<void> {
    const bytes = await this.redis.require((redis) => redis.getBuffer(this.#recordOf(request)));
    if (bytes !== null && decode(bytes).answer === undefined) throw underWay();
  }

  #recordOf({ owner, path, name }: Omit<IdempotentRequest, 'content'>): string {
    const hashed = hash('sha256', `${path}\0${name}`, 'base64url');
    return redisName(this.prefix, 'idempotency', owner, hashed);
  }

  async #release(key: string, value: Buffer): Promise<void> {
    await this.redis.run((redis) => redis.eval(RELEASE, 1, key, value)).catch(() => undefined);
  }

  async #checkBytes(name: string): Promise<void> {
    const bytes = await this.redis.require((redis) => redis.get(name));
    if (Number(bytes ?? 0) < MAX_STORED_BYTES) return;
    const seconds = await this.redis.require((redis) => redis.ttl(name));
    throw new ApiError(
      429,
      'Too many answers to requests of this key with an Idempotency-Key are stored: at most 32 MB within 24 hours',
      { 'Retry-After': String(Math.max(1, seconds)) },
    );
  }

  async #storedAnswer<Stored>(key: string, fingerprint: string): Promise<Stored> {
    const bytes = await this.redis.require((redis) => redis.getBuffer(key));
    const record = bytes === null ? null : decode(bytes);
    if (record !== null && record.fingerprint !== fingerprint)
      throw invalidValue(['header', 'Idempotency-Key'], 'this Idempotency-Key was used for another body');
    if (record?.answer === undefined) throw underWay();
    return record.answer as Stored;
  }
}

const underWay = () =>
  new ApiError(409, 'A request with this Idempotency-Key is under way', { 'Retry-After': '5' });

const encode = (record: RequestRecord): Buffer => deflateRawSync(JSON.stringify(record));

const decode = (bytes: Buffer): RequestRecord =>
  JSON.parse(inflateRawSync(bytes).toString()) as RequestRecord;
