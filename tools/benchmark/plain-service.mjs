// node plain-service.mjs ENGINE INDEX PORT: the anchor of npm run bench. It stays as it is, so that versions can be compared.
import { Client } from '@elastic/elasticsearch';
import express from 'express';

const [node, index, port] = process.argv.slice(2);
const elasticsearch = new Client({ node });
const app = express();
const FIELDS = ['name^5', 'brand^3', 'category^3', 'description^2'];
const _source = { excludes: ['internal'] };

app.get('/v1/search', async (request, response) => {
  const limit = Number(request.query.limit ?? 20);
  const offset = Number(request.query.offset ?? 0);
  const { hits } = await elasticsearch.search({
    index,
    from: offset,
    size: limit,
    track_total_hits: true,
    _source,
    query: { multi_match: { query: request.query.q, fields: FIELDS } },
  });
  const total = hits.total.value;
  response.json({
    total,
    limit,
    offset,
    has_more: offset + limit < total,
    items: hits.hits.map((hit) => hit._source),
  });
});

app.get('/v1/products/:id', async (request, response) => {
  const { id } = request.params;
  const found = await elasticsearch.get({ index, id, _source_excludes: _source.excludes });
  response.json(found._source);
});

app.get('/livez', (_request, response) => response.json({ status: 'ok' }));

app.listen(Number(port), '127.0.0.1');
