import { hash, randomBytes, randomUUID } from 'node:crypto';
import type { TokenCredential } from './key.js';
import type { RedisBreaker } from '../redis/redis-breaker.js';
import { redisName } from '../stored.js';

const CODE_SECONDS = 60;
const ACCESS_SECONDS = 3_600;
const REFRESH_SECONDS = 30 * 86_400;

/** How long a registered client is stored, in seconds: until somebody connects it, and after that. */
const UNUSED_CLIENT_SECONDS = 86_400;
const CLIENT_SECONDS = 180 * 86_400;

/** The number of registrations per hour, of one address and of all together, which bounds what is stored. */
const REGISTRATIONS = { perAddress: 20, inTotal: 500, windowS: 3_600 };

/** An OAuth client. All clients are public: they have no secret, and prove themselves by PKCE and their redirect URI. */
export interface OAuthClient {
  client_id: string;
  client_name: string | null;
  redirect_uris: string[];
}

/** What a person has allowed a client: to use one resource with an API key. */
export interface OAuthGrant {
  clientId: string;
  /** The id of the API key, and the name of the counter of its rate limits. Grants of versions before 1.1 have no counter. */
  keyId: string;
  counter?: string | undefined;
  /** The URL of the resource for which tokens are valid. */
  resource: string;
  /** The tokens of one consent, which end together. */
  family: string;
}

export interface CodeGrant extends OAuthGrant {
  redirectUri: string;
  /** The code challenge of PKCE with S256. */
  challenge: string;
}

/** The URL of the resource for which access tokens are issued. */
export const oauthResource = (publicUrl: string): string => `${publicUrl}/mcp`;

/** The form of an access token. Refresh tokens and codes have other prefixes, so that none stands for another. */
const ACCESS_TOKEN = /^oat_[\w-]{43}$/;

export const isAccessToken = (text: string): boolean => ACCESS_TOKEN.test(text);

const randomText = (prefix: string): string => `${prefix}_${randomBytes(32).toString('base64url')}`;

/**
 * Takes a code or refresh token. If it was taken before, somebody else may have it, so all tokens of its consent are revoked. KEYS: the
 * record; that of its use. ARGV: the prefix of consents; the seconds for which the use is remembered. Returns the record or nil.
 */
const TAKE = `
local found = redis.call('GET', KEYS[1])
if found then
  -- The write that Redis refuses while it is out of memory comes first, so that nothing is lost then.
  redis.call('SET', KEYS[2], cjson.decode(found).family, 'EX', ARGV[2])
  redis.call('DEL', KEYS[1])
  return found
end
local family = redis.call('GET', KEYS[2])
if family then redis.call('DEL', ARGV[1] .. family) end
return nil
`;

/**
 * Counts a registration unless it would exceed a limit; a refused one counts nowhere. KEYS: the counters of the address and of all.
 * ARGV: the length of the window in seconds; the limit of each counter. Returns 1, or 0 if nothing was counted.
 */
const COUNT = `
for i, key in ipairs(KEYS) do
  if tonumber(redis.call('GET', key) or 0) >= tonumber(ARGV[1 + i]) then return 0 end
end
for _, key in ipairs(KEYS) do
  if redis.call('INCR', key) == 1 then redis.call('EXPIRE', key, ARGV[1]) end
end
return 1
`;

/**
 * The clients, codes and tokens of OAuth, stored in Redis by their SHA-256 hashes. All methods throw a 503 ApiError without
 * Redis.
 *
 * - `<prefix>:oauth:client:<hash>`: a registered client.
 * - `<prefix>:oauth:code:<hash>`, `access:<hash>`, `refresh:<hash>`: the grant of a code or token.
 * - `<prefix>:oauth:used:<hash>`: the consent of a code or refresh token that was used.
 * - `<prefix>:oauth:family:<id>`: exists while the tokens of a consent are valid.
 */
export class OAuthGrants {
  constructor(
    private readonly redis: RedisBreaker,
    private readonly prefix: string,
  ) {}

  /** Counts a registration. @returns false if it exceeds a limit, and is therefore not counted. */
  async countRegistration(address: string): Promise<boolean> {
    const keys = [this.named('registrations', hashed(address)), this.named('registrations', 'all')];
    const { windowS, perAddress, inTotal } = REGISTRATIONS;
    const limits = [windowS, perAddress, inTotal];
    return (await this.redis.require((redis) => redis.eval(COUNT, 2, ...keys, ...limits))) === 1;
  }

  async register(client: Omit<OAuthClient, 'client_id'>): Promise<OAuthClient> {
    const registered = { client_id: randomUUID(), ...client };
    await this.store('client', registered.client_id, registered, UNUSED_CLIENT_SECONDS);
    return registered;
  }

  async client(id: string): Promise<OAuthClient | null> {
    return this.read<OAuthClient>('client', id);
  }

  /** Stores a consent. @returns the code that the client exchanges for tokens. */
  async createCode(grant: Omit<CodeGrant, 'family'>): Promise<string> {
    const family = randomUUID();
    const code = randomText('oac');
    await this.redis.require((redis) => redis.set(this.named('family', family), '1', 'EX', REFRESH_SECONDS));
    await this.store('code', code, { ...grant, family }, CODE_SECONDS);
    await this.redis.require((redis) =>
      redis.expire(this.named('client', hashed(grant.clientId)), CLIENT_SECONDS),
    );
    return code;
  }

  /** Takes a code. @returns null if it is unknown, expired or used. */
  takeCode(code: string): Promise<CodeGrant | null> {
    return this.take<CodeGrant>('code', code);
  }

  /** Takes a refresh token. @returns null if it is unknown, expired or used, or if its consent was revoked. */
  async takeRefreshToken(token: string): Promise<OAuthGrant | null> {
    const grant = await this.take<OAuthGrant>('refresh', token);
    return grant !== null && (await this.isValid(grant)) ? grant : null;
  }

  async issue({ clientId, keyId, counter, resource, family }: OAuthGrant) {
    const grant = { clientId, keyId, counter, resource, family };
    const [access, refresh] = [randomText('oat'), randomText('ort')];
    await this.store('access', access, grant, ACCESS_SECONDS);
    await this.store('refresh', refresh, grant, REFRESH_SECONDS);
    await this.redis.require((redis) => redis.expire(this.named('family', family), REFRESH_SECONDS));
    return { access_token: access, token_type: 'Bearer', expires_in: ACCESS_SECONDS, refresh_token: refresh };
  }

  /** Finds the API key of a valid access token. @returns null if the token is not for this resource. */
  async keyOf(token: string, resource: string): Promise<TokenCredential | null> {
    const grant = await this.read<OAuthGrant>('access', token);
    return grant?.resource === resource && (await this.isValid(grant))
      ? { id: grant.keyId, counter: grant.counter }
      : null;
  }

  /** Revokes all tokens of the consent to which a token belongs. */
  async revoke(token: string): Promise<void> {
    const grant =
      (await this.read<OAuthGrant>('access', token)) ?? (await this.read<OAuthGrant>('refresh', token));
    if (grant !== null) await this.end(grant);
  }

  async end({ family }: OAuthGrant): Promise<void> {
    await this.redis.require((redis) => redis.del(this.named('family', family)));
  }

  private async isValid({ family }: OAuthGrant): Promise<boolean> {
    return (await this.redis.require((redis) => redis.exists(this.named('family', family)))) === 1;
  }

  private async take<T>(kind: 'code' | 'refresh', text: string): Promise<T | null> {
    const id = hashed(text);
    const keys = [this.named(kind, id), this.named('used', id)];
    const found = await this.redis.require((redis) =>
      redis.eval(TAKE, 2, ...keys, this.named('family', ''), REFRESH_SECONDS),
    );
    return typeof found === 'string' ? (JSON.parse(found) as T) : null;
  }

  private async store(kind: string, text: string, value: object, seconds: number): Promise<void> {
    const name = this.named(kind, hashed(text));
    await this.redis.require((redis) => redis.set(name, JSON.stringify(value), 'EX', seconds));
  }

  private async read<T>(kind: string, text: string): Promise<T | null> {
    const found = await this.redis.require((redis) => redis.get(this.named(kind, hashed(text))));
    return found === null ? null : (JSON.parse(found) as T);
  }

  private named(kind: string, id: string): string {
    return redisName(this.prefix, 'oauth', kind, id);
  }
}

const hashed = (text: string): string => hash('sha256', text, 'base64url');
