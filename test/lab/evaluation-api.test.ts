import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { assert } from 'chai';
import { openApi } from '../../lab/evaluation/api.js';

describe('the API client of evaluations', () => {
  it('repeats a request after an outage without waiting for the end of the rate limit window', async () => {
    let requests = 0;
    const server = createServer((_request, response) => {
      requests += 1;
      const isOut = requests === 1;
      response.writeHead(isOut ? 503 : 200, {
        'content-type': 'application/json',
        ratelimit: '"key";r=10;t=3600',
        'retry-after': '0',
      });
      response.end('{"total":1}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const api = openApi(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'key');
    assert.deepEqual(await api.get('/v1/search?q=kettle'), { total: 1 });
    assert.equal(requests, 2);
    server.close();
  });
});
