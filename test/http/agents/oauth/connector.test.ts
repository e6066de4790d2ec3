import { hash } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { assert } from 'chai';
import { ADMIN_SECRET, type Api, startApi } from '../../../support/api.js';
import { createRedis } from '../../../../src/platform/redis/create-redis.js';
import { record } from '../../../support/listings.js';
import { redisUrl } from '../../../support/services.js';

/** Returns a port that no process listens on, because the issuer has to be known before the service starts. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Returns everything that the service stores in Redis, as text. */
async function everythingIn({ prefix }: Api): Promise<string> {
  const redis = createRedis(redisUrl);
  await once(redis, 'ready');
  try {
    const names = await redis.keys(`${prefix}:*`);
    const values = await Promise.all(
      names.map(async (name) => redis.dump(name).then((value) => `${name} ${value ?? ''}`)),
    );
    return values.join('\n');
  } finally {
    redis.disconnect();
  }
}

const CALLBACK = 'https://connector.example/callback';

let requests = 0;
/** The header of another client address for each request, so that none exceeds the limit of an address. */
const elsewhere = () => {
  requests += 1;
  return { 'x-forwarded-for': `203.0.${requests >> 8}.${requests & 255}` };
};

/** A person's browser: it keeps the cookie of the consent page, fills in the form, and returns where it is sent. */
async function consent(authorizationUrl: URL, apiKey: string, decision = 'allow') {
  const page = await fetch(authorizationUrl, { redirect: 'manual', headers: elsewhere() });
  const html = await page.text();
  const cookie = page.headers.get('set-cookie') ?? '';
  const sealed = /name="request" value="([^"]+)"/.exec(html)?.[1] ?? '';
  const answer = await fetch(new URL('/oauth/authorize', authorizationUrl), {
    method: 'POST',
    redirect: 'manual',
    headers: {
      ...elsewhere(),
      cookie: cookie.split(';')[0] ?? '',
      'sec-fetch-site': 'same-origin',
      origin: 'null',
    },
    body: new URLSearchParams({ request: sealed, api_key: apiKey, decision }),
  });
  const location = answer.headers.get('location');
  return { page, html, cookie, answer, location: location === null ? null : new URL(location) };
}

/** What a connector stores, in memory. */
function connector() {
  const stored: Record<string, any> = {};
  let opened: URL | null = null;
  const provider = {
    get redirectUrl() {
      return CALLBACK;
    },
    get clientMetadata() {
      return { client_name: 'Connector <b>', redirect_uris: [CALLBACK] };
    },
    state: () => 'the-state',
    clientInformation: () => stored['client'],
    saveClientInformation: (client: unknown) => void (stored['client'] = client),
    tokens: () => stored['tokens'],
    saveTokens: (tokens: unknown) => void (stored['tokens'] = tokens),
    redirectToAuthorization: (url: URL) => void (opened = url),
    saveCodeVerifier: (verifier: string) => void (stored['verifier'] = verifier),
    codeVerifier: () => stored['verifier'] as string,
    discoveryState: () => stored['discovery'],
    saveDiscoveryState: (state: unknown) => void (stored['discovery'] = state),
    invalidateCredentials: (what: string) =>
      void Reflect.deleteProperty(stored, what === 'all' ? 'tokens' : what),
  };
  return { provider, stored, opened: () => opened };
}

describe('OAuth for /mcp', () => {
  let api: Api;
  let url: string;
  before(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    api = await startApi({
      PORT: String(port),
      PUBLIC_URL: url,
      OAUTH_ISSUER: url,
      TRUST_PROXY: 'loopback',
      JWT_SECRET: 'a-jwt-secret-of-these-tests',
    });
    await api.load([record({ sku: 'a', name: 'Blue kettle' })]);
  });
  after(() => api.stop());

  const form = (path: string, fields: Record<string, string>) =>
    api.open(path, { method: 'POST', headers: elsewhere(), body: new URLSearchParams(fields) });

  it('connects a client of the official SDK, from the first 401 to a tool, and renews its tokens', async () => {
    const rawKey = await api.key('free');
    const { provider, stored, opened } = connector();
    const connect = async () => {
      const client = new Client({ name: 'connector', version: '1.0.0' });
      const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
        authProvider: provider as never,
      });
      return { client, transport, connected: client.connect(transport) };
    };
    const first = await connect();
    const refused: unknown = await first.connected.catch((error: unknown) => error);
    assert.instanceOf(refused, UnauthorizedError);
    const authorizationUrl = opened();
    if (authorizationUrl === null) throw new Error('no page was opened');
    assert.equal(authorizationUrl.searchParams.get('code_challenge_method'), 'S256');
    assert.equal(authorizationUrl.searchParams.get('resource'), `${url}/mcp`);

    const { html, page, cookie, answer, location } = await consent(authorizationUrl, rawKey);
    assert.include(html, 'Connector &lt;b&gt;');
    assert.include(html, 'connector.example');
    const policy = page.headers.get('content-security-policy') ?? '';
    assert.match(
      policy,
      /^default-src 'none'; style-src 'sha256-\S+'; form-action 'self' https:\/\/connector\.example;/,
    );
    assert.include(policy, "frame-ancestors 'none'");
    assert.equal(page.headers.get('cache-control'), 'no-store');
    assert.match(cookie, /HttpOnly; SameSite=Strict/);
    assert.equal(answer.status, 303);
    assert.equal(`${location?.origin}${location?.pathname}`, CALLBACK);
    assert.equal(location?.searchParams.get('state'), 'the-state');
    assert.equal(location?.searchParams.get('iss'), url);

    await first.transport.finishAuth(location?.searchParams ?? new URLSearchParams());
    const second = await connect();
    await second.connected;
    const tools = async (client: Client) =>
      client.callTool({ name: 'search_products', arguments: { q: 'kettle' } });
    assert.include(JSON.stringify(await tools(second.client)), 'Blue kettle');
    await second.client.close();

    const { access_token: access, refresh_token: refresh } = stored['tokens'];
    const renewed = await form('/oauth/token', {
      grant_type: 'refresh_token',
      refresh_token: refresh,
      client_id: stored['client'].client_id,
    });
    assert.equal(renewed.status, 200, renewed.text);
    assert.equal(renewed.headers.get('cache-control'), 'no-store');
    assert.equal(renewed.body.expires_in, 3_600);
    assert.notEqual(renewed.body.access_token, access);
    stored['tokens'] = renewed.body;
    const third = await connect();
    await third.connected;
    assert.include(JSON.stringify(await tools(third.client)), 'Blue kettle');
    await third.client.close();
    // Redis stores only hashes of tokens.
    for (const token of [access, refresh, renewed.body.access_token, rawKey])
      assert.notInclude(await everythingIn(api), token as string);
  });

  it('describes the resource and the authorization server', async () => {
    const path = '/.well-known/oauth-protected-resource';
    for (const one of [path, `${path}/mcp`]) {
      const { status, body, headers } = await api.open(one);
      assert.equal(status, 200);
      assert.equal(headers.get('access-control-allow-origin'), '*');
      assert.deepEqual([body.resource, body.authorization_servers], [`${url}/mcp`, [url]]);
    }
    const { body } = await api.open('/.well-known/oauth-authorization-server');
    assert.equal(body.issuer, url);
    assert.deepEqual(body.code_challenge_methods_supported, ['S256']);
    assert.isTrue(body.client_id_metadata_document_supported);
    const refused = await api.open('/mcp', { method: 'POST', body: '{}' });
    assert.equal(refused.status, 401);
    assert.equal(refused.headers.get('www-authenticate'), `Bearer resource_metadata="${url}${path}/mcp"`);
    assert.equal((await api.open('/v1')).headers.get('www-authenticate'), 'Bearer');
  });

  it('ends with the key', async () => {
    const { tokens, revokeKey, renew, ping } = await connected();
    assert.equal(await ping(tokens.access_token), 200);
    await revokeKey();
    assert.equal(await ping(tokens.access_token), 401);
    const { status, body } = await renew(tokens.refresh_token);
    assert.deepEqual([status, body.error], [400, 'invalid_grant']);
  });

  it('counts with the key and its other tokens in one window', async () => {
    const { rawKey, tokens, ping } = await connected();
    const as = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
    const exchange = async () => (await api.post('/v1/token', '', as(rawKey))).body.access_token as string;
    const jwts = [await exchange(), await exchange()];
    const used = async (token: string) =>
      (await api.get('/v1/usage', as(token))).body.requests.used as number;
    const before = await used(rawKey);
    for (const token of [rawKey, ...jwts]) assert.equal((await api.get('/v1', as(token))).status, 200);
    assert.equal(await ping(tokens.access_token), 200);
    // The request for the usage counts as well.
    assert.equal(await used(jwts[0] ?? ''), before + 4 + 1);
  });

  it('revokes the tokens of a consent, access and refresh token', async () => {
    const { tokens, renew, ping } = await connected();
    assert.equal((await form('/oauth/revoke', { token: tokens.access_token })).status, 200);
    assert.equal(await ping(tokens.access_token), 401);
    assert.equal((await renew(tokens.refresh_token)).status, 400);
    assert.equal((await form('/oauth/revoke', { token: 'unknown' })).status, 200);
  });

  it('sends a person who cancels back without a code, and one with a wrong key nowhere', async () => {
    const { authorize } = await registered();
    const denied = await consent(authorize(), '', 'deny');
    assert.deepEqual(
      [denied.location?.searchParams.get('error'), denied.location?.searchParams.has('code')],
      ['access_denied', false],
    );
    const wrong = await consent(authorize(), `svc_live_${'x'.repeat(48)}`);
    assert.deepEqual([wrong.answer.status, wrong.location], [403, null]);
  });

  const VERIFIER = 'v'.repeat(43);

  /** Registers a client, and returns how it asks for authorization. */
  async function registered(redirect_uris = [CALLBACK]) {
    const { body } = await api.open('/oauth/register', {
      method: 'POST',
      headers: elsewhere(),
      body: JSON.stringify({ redirect_uris }),
    });
    const clientId = body.client_id as string;
    const authorize = (changed: Record<string, string | null> = {}): URL => {
      const parameters = {
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirect_uris[0] ?? '',
        code_challenge: challengeOf(VERIFIER),
        code_challenge_method: 'S256',
        resource: `${url}/mcp`,
        ...changed,
      };
      const given = Object.entries(parameters).filter((one): one is [string, string] => one[1] !== null);
      return new URL(`${url}/oauth/authorize?${new URLSearchParams(given).toString()}`);
    };
    return { clientId, authorize };
  }
  const challengeOf = (verifier: string) => hash('sha256', verifier, 'base64url');

  async function codeOf(authorize: () => URL, rawKey: string): Promise<string> {
    const { location } = await consent(authorize(), rawKey);
    return location?.searchParams.get('code') ?? '';
  }
  const exchanged = (clientId: string, code: string, changed: Record<string, string> = {}) =>
    form('/oauth/token', {
      grant_type: 'authorization_code',
      client_id: clientId,
      redirect_uri: CALLBACK,
      code,
      code_verifier: VERIFIER,
      ...changed,
    });

  async function connected() {
    const rawKey = await api.key('free', 'connected');
    const { clientId, authorize } = await registered();
    const { body: tokens } = await exchanged(clientId, await codeOf(authorize, rawKey));
    const ping = async (token: string, path = '/mcp') =>
      (
        await api.open(path, {
          method: path === '/mcp' ? 'POST' : 'GET',
          headers: {
            ...elsewhere(),
            authorization: `Bearer ${token}`,
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
          },
          ...(path === '/mcp'
            ? { body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }) }
            : {}),
        })
      ).status;
    const renew = (token: string, client_id = clientId) =>
      form('/oauth/token', { grant_type: 'refresh_token', refresh_token: token, client_id });
    const revokeKey = async () => {
      const { body: keys } = await api.open('/v1/keys', { headers: { 'x-admin-secret': ADMIN_SECRET } });
      const { key_id } = keys.keys.find(({ developer_id }: any) => developer_id === 'connected');
      await api.open(`/v1/keys/${key_id}`, { method: 'DELETE', headers: { 'x-admin-secret': ADMIN_SECRET } });
    };
    return { clientId, authorize, rawKey, tokens, ping, renew, revokeKey };
  }

  describe('refuses', () => {
    const errorOf = async (reply: Promise<{ status: number; body: any }>) => {
      const { status, body } = await reply;
      return [status, body.error];
    };

    it('wrong requests for authorization on a page, without sending anybody anywhere', async () => {
      const { authorize } = await registered();
      for (const [name, value] of [
        ['redirect_uri', 'https://evil.example/callback'],
        ['redirect_uri', `${CALLBACK}/../evil`],
        ['redirect_uri', `${CALLBACK}?more`],
        ['redirect_uri', null],
        ['client_id', 'unknown'],
        ['client_id', null],
        ['response_type', 'token'],
        ['code_challenge', null],
        ['code_challenge', 'short'],
        ['code_challenge_method', 'plain'],
        ['code_challenge_method', null],
        ['resource', 'https://other.example/mcp'],
        ['resource', `${url}/v1`],
        ['state', 'x'.repeat(3_000)],
      ] as const) {
        const reply = await fetch(authorize({ [name]: value }), { redirect: 'manual', headers: elsewhere() });
        assert.equal(reply.status, 400, name);
        assert.isNull(reply.headers.get('location'), name);
        assert.match(await reply.text(), /The application cannot be connected/);
      }
      const twice = await fetch(`${authorize().href}&redirect_uri=https://evil.example`, {
        redirect: 'manual',
      });
      assert.equal(twice.status, 400);
    });

    it('forms that the page of the same browser did not send', async () => {
      const { authorize } = await registered();
      const rawKey = await api.key('free');
      const { cookie, html } = await consent(authorize(), '', 'deny');
      const sealed = /name="request" value="([^"]+)"/.exec(html)?.[1] ?? '';
      const own = cookie.split(';')[0] ?? '';
      const send = async (headers: Record<string, string>, request = sealed) => {
        const answer = await fetch(`${url}/oauth/authorize`, {
          method: 'POST',
          redirect: 'manual',
          headers: { ...elsewhere(), ...headers },
          body: new URLSearchParams({ request, api_key: rawKey, decision: 'allow' }),
        });
        return answer.status;
      };
      assert.equal(await send({}), 400);
      assert.equal(await send({ cookie: `oauth_consent=${'x'.repeat(43)}` }), 400);
      assert.equal(await send({ cookie: own, origin: 'https://evil.example' }), 400);
      assert.equal(await send({ cookie: own, 'sec-fetch-site': 'cross-site' }), 400);
      assert.equal(await send({ cookie: own }, `${sealed}x`), 400);
      assert.equal(await send({ cookie: own }), 303);
    });

    it('a code a second time, and then ends the tokens that it gave', async () => {
      const { clientId, authorize, rawKey, ping } = await connected();
      const code = await codeOf(authorize, rawKey);
      const parallel = await Promise.all([exchanged(clientId, code), exchanged(clientId, code)]);
      assert.deepEqual(parallel.map(({ status }) => status).sort(), [200, 400]);
      const { body: tokens } = parallel.find(({ status }) => status === 200) ?? { body: {} };
      assert.equal(await ping(tokens.access_token), 401);
    });

    it('a code with another verifier, client, redirect URI or resource, which burns it', async () => {
      const { clientId, authorize, rawKey } = await connected();
      const other = await registered();
      const wrong: Record<string, string>[] = [
        { code_verifier: 'w'.repeat(43) },
        { code_verifier: challengeOf(VERIFIER) },
        { client_id: other.clientId },
        { redirect_uri: 'https://connector.example/other' },
      ];
      for (const changed of wrong) {
        const code = await codeOf(authorize, rawKey);
        assert.deepEqual(await errorOf(exchanged(clientId, code, changed)), [400, 'invalid_grant']);
        assert.deepEqual(await errorOf(exchanged(clientId, code)), [400, 'invalid_grant']);
      }
      const code = await codeOf(authorize, rawKey);
      const target = { resource: 'https://other.example/mcp' };
      assert.deepEqual(await errorOf(exchanged(clientId, code, target)), [400, 'invalid_target']);
      assert.deepEqual(await errorOf(form('/oauth/token', { grant_type: 'password' })), [
        400,
        'unsupported_grant_type',
      ]);
      assert.deepEqual(await errorOf(form('/oauth/token', {})), [400, 'unsupported_grant_type']);
    });

    it('a refresh token a second time, and then ends all tokens of its consent', async () => {
      const { tokens, ping, renew } = await connected();
      const renewed = await renew(tokens.refresh_token);
      assert.equal(renewed.status, 200);
      assert.equal(await ping(renewed.body.access_token), 200);
      assert.deepEqual(await errorOf(renew(tokens.refresh_token)), [400, 'invalid_grant']);
      assert.equal(await ping(renewed.body.access_token), 401);
      assert.deepEqual(await errorOf(renew(renewed.body.refresh_token)), [400, 'invalid_grant']);
    });

    it('a refresh token of another client, and then ends all tokens of its consent', async () => {
      const { tokens, ping, renew } = await connected();
      const other = await registered();
      assert.equal(await ping(tokens.access_token), 200);
      assert.deepEqual(await errorOf(renew(tokens.refresh_token, other.clientId)), [400, 'invalid_grant']);
      assert.equal(await ping(tokens.access_token), 401);
    });

    it('access tokens on other paths, and refresh tokens and codes as access tokens', async () => {
      const { tokens, ping, authorize, rawKey } = await connected();
      assert.equal(await ping(tokens.access_token, '/v1/search'), 401);
      assert.equal(await ping(tokens.access_token, '/v1/usage'), 401);
      assert.equal(await ping(tokens.refresh_token), 401);
      assert.equal(await ping(await codeOf(authorize, rawKey)), 401);
      assert.equal(await ping(`oat_${'x'.repeat(43)}`), 401);
    });

    it('redirect URIs that start programs, run in a browser or are not secure', async () => {
      const register = (redirect_uris: unknown) =>
        errorOf(
          api.open('/oauth/register', {
            method: 'POST',
            headers: elsewhere(),
            body: JSON.stringify({ redirect_uris }),
          }),
        );
      for (const uri of [
        'http://connector.example/callback',
        'javascript:alert(1)',
        'data:text/html,x',
        'smb://server.example/share',
        'ms-msdt:/id',
        'ms-word:ofe|u|https://connector.example/a.docx',
        'search-ms:query=x',
        'ldap://connector.example/',
        'tel:+15550100',
        'mailto:someone@connector.example',
        'cursorx://oauth/callback',
        'com.:/oauth',
        '.example:/oauth',
        'https://user@connector.example/',
        'https://connector.example/#fragment',
        'https://connector.example/\n',
        'not a URL',
        `https://connector.example/${'x'.repeat(3_000)}`,
      ])
        assert.deepEqual(await register([uri]), [400, 'invalid_redirect_uri'], uri);
      for (const list of [undefined, [], 'https://x.example', Array.from({ length: 11 }, () => CALLBACK)])
        assert.deepEqual(await register(list), [400, 'invalid_redirect_uri']);
      const { authorize } = await registered(['http://localhost:1/cb']);
      const native = await fetch(authorize({ redirect_uri: 'http://localhost:49152/cb' }));
      assert.equal(native.status, 200);
      assert.equal((await fetch(authorize({ redirect_uri: 'http://localhost:49152/other' }))).status, 400);
    });
  });
});

describe('clients of OAuth', () => {
  let api: Api;
  let url: string;
  let host: string;
  let fetched = 0;
  const documents: Record<string, unknown> = {};
  const server = createHttpServer((request, response) => {
    fetched += 1;
    const document = documents[request.url ?? ''];
    if (request.url === '/redirect') response.writeHead(302, { location: '/client' }).end();
    else if (document === undefined) response.writeHead(404).end();
    else response.end(JSON.stringify(document));
  });
  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const client = (path: string, changed: object = {}) => {
      documents[path] = {
        client_id: `http://${host}${path}`,
        client_name: 'By document',
        redirect_uris: [CALLBACK],
        ...changed,
      };
    };
    client('/client');
    client('/other', { client_id: `http://${host}/client` });
    client('/secret', { token_endpoint_auth_method: 'client_secret_basic' });
    client('/script', { redirect_uris: ['javascript:alert(1)'] });
    documents['/list'] = [];
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    api = await startApi({
      PORT: String(port),
      PUBLIC_URL: url,
      OAUTH_ISSUER: url,
      TRUST_PROXY: 'loopback',
      DOCUMENT_ALLOWED_HOSTS: host,
    });
  });
  after(async () => {
    await api.stop();
    server.close();
    server.closeAllConnections();
  });

  const pageOf = (clientId: string, redirectUri = CALLBACK): URL => {
    const parameters = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256',
    });
    return new URL(`${url}/oauth/authorize?${parameters.toString()}`);
  };
  const page = (clientId: string) => fetch(pageOf(clientId), { redirect: 'manual', headers: elsewhere() });
  const register = (metadata: object) =>
    api.open('/oauth/register', { method: 'POST', headers: elsewhere(), body: JSON.stringify(metadata) });

  it('may be described by a document at the URL that is their id, which is read once', async () => {
    const shown = await page(`http://${host}/client`);
    assert.equal(shown.status, 200);
    assert.include(await shown.text(), 'By document');
    await page(`http://${host}/client`);
    assert.equal(fetched, 1);
    for (const path of ['/other', '/secret', '/script', '/list', '/missing', '/redirect']) {
      const refused = await page(`http://${host}${path}`);
      assert.equal(refused.status, 400, path);
      assert.include(await refused.text(), 'client_id is not a registered application');
    }
  });

  it('cannot make the service connect to private addresses', async () => {
    const before = fetched;
    const { port } = new URL(`http://${host}`);
    for (const id of [
      `https://127.0.0.1:${port}/client`,
      `http://localhost:${port}/client`,
      `http://[::1]:${port}/client`,
      'https://localhost/client',
      'https://169.254.169.254/latest/meta-data',
      'https://10.0.0.1/client',
      'https://connector.example:6379/client',
      'ftp://connector.example/client',
      'https://user:secret@connector.example/client',
    ])
      assert.equal((await page(id)).status, 400, id);
    assert.equal(fetched, before);
  });

  /** What clients send to register, from their source code and from reports of those who run authorization servers. */
  const REGISTRATIONS: Record<string, { redirect_uris: string[]; [member: string]: unknown }> = {
    Cursor: {
      client_name: 'Cursor',
      redirect_uris: [
        'cursor://anysphere.cursor-mcp/oauth/callback',
        'https://www.cursor.com/agents/mcp/oauth/callback',
        'http://localhost:8787/callback',
      ],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    'Visual Studio Code': {
      client_name: 'Visual Studio Code',
      client_uri: 'https://code.visualstudio.com',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      redirect_uris: [
        'https://insiders.vscode.dev/redirect',
        'https://vscode.dev/redirect',
        'http://localhost/',
        'http://127.0.0.1/',
        'http://localhost:33418/',
        'http://127.0.0.1:33418/',
      ],
      token_endpoint_auth_method: 'none',
    },
    Claude: {
      client_name: 'Claude',
      redirect_uris: ['https://claude.ai/api/mcp/auth_callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_post',
    },
    'Claude Code': {
      client_name: 'Claude Code',
      application_type: 'native',
      redirect_uris: ['http://localhost:3118/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    'an extension of Visual Studio Code': { redirect_uris: ['vscode-insiders://publisher.extension/auth'] },
    'a mobile application': { redirect_uris: ['com.example.prices:/oauth/callback'] },
  };
  for (const [name, registration] of Object.entries(REGISTRATIONS)) {
    it(`may be registered as ${name} does it, and a person who cancels returns to each redirect URI`, async () => {
      const { status, body } = await register(registration);
      assert.equal(status, 201, JSON.stringify(body));
      assert.deepEqual(body.redirect_uris, registration.redirect_uris);
      assert.equal(body.token_endpoint_auth_method, 'none');
      for (const uri of registration.redirect_uris) {
        const { location } = await consent(pageOf(body.client_id as string, uri), '', 'deny');
        assert.isTrue(location?.href.startsWith(`${uri}?error=access_denied`), location?.href);
      }
    });
  }

  it('are redirected only to URIs that are allowed now', async () => {
    const { body } = await register({ redirect_uris: ['cursor://one.example/cb', CALLBACK] });
    const redis = createRedis(redisUrl);
    await once(redis, 'ready');
    const name = `${api.prefix}:oauth:client:${hash('sha256', body.client_id as string, 'base64url')}`;
    const stored = (await redis.get(name)) ?? '';
    await redis.set(name, stored.replace('cursor:', 'smb:'), 'EX', 60);
    redis.disconnect();
    const statusFor = async (uri: string) =>
      (await fetch(pageOf(body.client_id as string, uri), { headers: elsewhere() })).status;
    assert.equal(await statusFor(CALLBACK), 200);
    assert.equal(await statusFor('smb://one.example/cb'), 400);
  });

  it('may be registered twenty times an hour from an address', async () => {
    const statusFrom = async (address: string) =>
      (
        await api.open('/oauth/register', {
          method: 'POST',
          headers: { 'x-forwarded-for': address },
          body: JSON.stringify({ redirect_uris: [CALLBACK] }),
        })
      ).status;
    const statuses = await Promise.all(Array.from({ length: 23 }, () => statusFrom('198.51.100.1')));
    assert.deepEqual(
      [201, 429].map((status) => statuses.filter((one) => one === status).length),
      [20, 3],
    );
    assert.equal(await statusFrom('198.51.100.2'), 201);
    // One customer may have a whole /48, and could close the registration for everybody.
    const ofCustomer = await Promise.all(
      Array.from({ length: 23 }, (_, at) => statusFrom(`2001:db8:77:${at}00::1`)),
    );
    assert.lengthOf(
      ofCustomer.filter((status) => status === 201),
      20,
    );
  });
});

describe('OAuth by default', () => {
  it('is off', async () => {
    const other = await startApi();
    try {
      for (const path of ['/.well-known/oauth-protected-resource', '/oauth/authorize'])
        assert.equal((await other.open(path)).status, 404, path);
      const refused = await other.open('/mcp', { method: 'POST', body: '{}' });
      assert.equal(refused.headers.get('www-authenticate'), 'Bearer');
    } finally {
      await other.stop();
    }
  });
});
