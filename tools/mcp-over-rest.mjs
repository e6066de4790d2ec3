/**
 * KEY=svc_live_… node tools/mcp-over-rest.mjs [http://localhost:3000]
 *
 * Measures how much longer POST /mcp takes than the REST API. It sends the same searches to both alternately,
 * with pages that were not requested before, so that the response cache does not help either. It sends 440
 * requests, so the rate limit of one API key allows two measurements per minute.
 */
const [url = 'http://localhost:3000'] = process.argv.slice(2);
const headers = { authorization: `Bearer ${process.env.KEY}`, 'content-type': 'application/json' };
const accept = 'application/json, text/event-stream';
const WORDS = [
  'wireless earbuds',
  'robot vacuum',
  'laptop 16GB',
  'running shoes',
  'kettle 1.7 l',
  'air fryer',
];
const PAIRS = 200;
const WARM_UP = 20;

const rest = (q, offset) =>
  fetch(`${url}/v1/search?${new URLSearchParams({ q, limit: 10, offset })}`, { headers });
const mcp = (q, offset) => {
  const params = { name: 'search_products', arguments: { q, limit: 10, offset } };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  return fetch(`${url}/mcp`, { method: 'POST', headers: { ...headers, accept }, body });
};

/** Sends a request. @returns the milliseconds until the whole response was received. */
async function took(ask, ...question) {
  const started = performance.now();
  const response = await ask(...question);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status} ${text.slice(0, 200)}`);
  return performance.now() - started;
}

const sorted = (numbers) => numbers.toSorted((a, b) => a - b);
const median = (numbers) => sorted(numbers)[numbers.length >> 1];
const first = Math.floor(Math.random() * 100);
const pairs = [];
for (let at = 0; at < PAIRS + WARM_UP; at += 1) {
  const q = WORDS[at % WORDS.length];
  // The two requests of a pair read neighbouring pages, so that neither benefits from caches that the other
  // one filled. They alternate in which comes first.
  const offsets = [first + 2 * at, first + 2 * at + 1];
  const pair = {};
  for (const way of at % 2 === 0 ? [rest, mcp] : [mcp, rest])
    pair[way.name] = await took(way, q, offsets.shift());
  if (at >= WARM_UP) pairs.push(pair);
}
const more = sorted(pairs.map((pair) => pair.mcp - pair.rest));
const [low, high] = [more[Math.floor(PAIRS / 4)], more[Math.floor((PAIRS * 3) / 4)]];
const shown = (ms) => ms.toFixed(1);
console.log(
  `REST p50 ${shown(median(pairs.map((pair) => pair.rest)))} ms, MCP p50 ${shown(median(pairs.map((pair) => pair.mcp)))} ms;`,
  `MCP more than REST by ${shown(median(more))} ms (half of the pairs: ${shown(low)} to ${shown(high)})`,
);
