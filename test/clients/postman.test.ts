import { readFileSync } from 'node:fs';
import { assert } from 'chai';
import { documentedPaths } from '../../src/http/agents/index.js';
import { POSTMAN_FILE, postmanCollection } from '../../tools/clients.js';

interface Item {
  name: string;
  request: { method: string; url: { raw: string }; body?: { raw: string } };
}

describe('the Postman collection', () => {
  const collection = JSON.parse(JSON.stringify(postmanCollection())) as { item: { item: Item[] }[] };
  const requests = collection.item.flatMap(({ item }) => item);

  it('matches the OpenAPI document; npm run clients updates it', () => {
    assert.deepEqual(JSON.parse(readFileSync(POSTMAN_FILE, 'utf8')), collection);
  });

  it('contains every operation, with an example body where the operation has one', () => {
    assert.sameMembers(
      requests.map(({ request }) => `${request.method} ${request.url.raw}`),
      documentedPaths.map(
        ({ method, path }) => `${method.toUpperCase()} {{url}}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
      ),
    );
    const withoutBody = new Set(['createToken', 'testAlert', 'rotateAlert', 'redeliver']);
    for (const { name, request } of requests) {
      if (request.method === 'POST' && !withoutBody.has(name))
        assert.isNotEmpty(JSON.parse(request.body?.raw ?? '{}'), name);
    }
  });
});
