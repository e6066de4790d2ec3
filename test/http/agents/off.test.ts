import { assert } from 'chai';
import { agentPaths } from '../../../src/http/agents/index.js';
import { useApi } from '../../support/api.js';

const ISSUER = 'https://catalogue.example';

describe('a service with AGENTS=off', () => {
  const api = useApi([], { AGENTS: 'off', OAUTH_ISSUER: ISSUER, PUBLIC_URL: ISSUER });
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  };

  it('has none of the paths for agents, and does not document them', async () => {
    const { paths } = await api.ok('/openapi.json');
    for (const { method, path } of agentPaths) {
      assert.equal((await api.get(path, method === 'post' ? init : {})).status, 404, path);
      assert.notProperty(paths, path);
    }
    assert.property(paths, '/v1/search');
    assert.notProperty((await api.ok('/v1')).more, 'mcp');
  });

  it('has no authorization server, and names none in a 401', async () => {
    for (const path of ['/oauth/authorize', '/.well-known/oauth-authorization-server'])
      assert.equal((await api.open(path)).status, 404, path);
    assert.equal((await api.open('/v1/search')).headers.get('www-authenticate'), 'Bearer');
  });
});
