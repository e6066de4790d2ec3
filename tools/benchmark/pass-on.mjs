// node pass-on.mjs ENGINE PORT: forwards every request to Elasticsearch. Without keys, rate limits and logs,
// it shows the minimum overhead of a service in Node.js.
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { Pool } from 'undici';

const [engine, port] = process.argv.slice(2);
const pool = new Pool(engine);

createServer(async (request, response) => {
  const { method, url: path } = request;
  const requestBody = method === 'POST' ? await buffer(request) : null;
  const { accept, 'content-type': type } = request.headers;
  const headers = requestBody === null ? {} : { accept, 'content-type': type };
  const {
    statusCode,
    headers: found,
    body,
  } = await pool.request({ method, path, headers, body: requestBody });
  const answer = Buffer.from(await body.arrayBuffer());
  response.writeHead(statusCode, { 'content-type': found['content-type'], 'content-length': answer.length });
  response.end(answer);
}).listen(Number(port), '127.0.0.1');
