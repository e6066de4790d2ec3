import { connect } from 'node:tls';
import { DAY_MS } from '../../src/listing/instant.js';
import { redisUrlOf, useKeys } from '../shared/use-keys.js';
import { type Check, fail, type Finding, ok, unlessEmpty, warn } from './finding.js';

/** The share of its memory from which Redis soon refuses writes, as in the alert CatalogueRedisMemory. */
const REDIS_MEMORY = 0.8;
const CONNECTS_WITHIN_MS = 5_000;
/** The remaining days of a certificate, as in the alert CatalogueCertificateEnds. */
const CERTIFICATE_DAYS = { warn: 30, fail: 3 };

/** Checks whether Redis is available, and whether it is configured to keep what it has acknowledged. */
export const checkRedis: Check = async ({ env }) => {
  const reply = await useKeys(env, (_keys, redis) => redis.run((client) => client.info()));
  const info = Object.fromEntries(reply.split(/\r?\n/).map((line) => line.split(':', 2))) as Record<
    string,
    string | undefined
  >;
  const persistence = 'docs/operations.md#when-redis-is-slow-or-refuses-writes';
  const share = Number(info['used_memory']) / (Number(info['maxmemory']) || Infinity);
  const findings: (Finding | null)[] = [
    info['role'] === 'master'
      ? null
      : fail('it is a replica and takes no writes', 'complete the failover, or set REDIS_URL'),
    info['aof_last_write_status'] === 'err' || info['rdb_last_bgsave_status'] === 'err'
      ? fail('it cannot write to its disk', persistence)
      : null,
    info['aof_enabled'] === '1'
      ? null
      : warn('a restart loses keys: it has no append-only file', 'start it with --appendonly yes'),
    share < REDIS_MEMORY
      ? null
      : warn(`it uses ${Math.round(100 * share)} % of its memory`, 'raise maxmemory'),
    share === 0 || info['maxmemory_policy'] === 'noeviction'
      ? null
      : warn(`it evicts keys (${info['maxmemory_policy']})`, 'start it with --maxmemory-policy noeviction'),
  ];
  return unlessEmpty(
    findings.filter((finding) => finding !== null),
    `version ${info['redis_version']}, append-only file, ${info['used_memory_human']} used`,
  );
};

/** Checks the certificates of Elasticsearch, Redis and the proxy of the service, if they have some. */
export const checkCertificates: Check = async ({ engine, env, now }) => {
  const addresses = [...engine.url.split(', '), redisUrlOf(env) ?? '', engine.publicUrl];
  const secure = addresses.filter((address) => /^(https|rediss):/.test(address)).map((one) => new URL(one));
  const found = await Promise.all(
    secure.map(async ({ hostname, port, protocol }): Promise<Finding> => {
      const at = { host: hostname, port: Number(port || (protocol === 'https:' ? 443 : 6379)) };
      const name = `${at.host}:${at.port}`;
      const end = await expiryOf(at).catch((error: unknown) => error as Error);
      if (end instanceof Error)
        return fail(`${name} shows none: ${end.message}`, 'docs/runbooks.md#cataloguecertificateunseen');
      const days = Math.floor((end.getTime() - now.getTime()) / DAY_MS);
      const text = days < 0 ? `that of ${name} has expired` : `that of ${name} expires in ${days} days`;
      const next = 'docs/operations.md#certificates-of-elasticsearch';
      if (days < CERTIFICATE_DAYS.fail) return fail(text, next);
      return days < CERTIFICATE_DAYS.warn ? warn(text, next) : ok(text);
    }),
  );
  return unlessEmpty(found, 'none are used');
};

/** Returns when the certificate of a server expires. It does not check who signed the certificate. */
const expiryOf = ({ host, port }: { host: string; port: number }): Promise<Date> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host, port, servername: host, rejectUnauthorized: false }, () => {
      resolve(new Date(socket.getPeerCertificate().valid_to));
      socket.destroy();
    });
    socket.setTimeout(CONNECTS_WITHIN_MS, () => socket.destroy(new Error('no answer')));
    socket.on('error', reject);
  });
