import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { assert } from 'chai';
import express from 'express';
import { staticAnswer } from '../../src/http/transfer/response-body.js';

describe('a static answer', () => {
  it('is compressed once per encoding', async () => {
    const sent: unknown[] = [];
    const app = express();
    app.get('/', (_request, response, next) => {
      const send = response.send.bind(response);
      response.send = (body: unknown) => {
        sent.push(body);
        return send(body);
      };
      next();
    });
    app.get('/', staticAnswer({ type: 'txt', content: 'again and '.repeat(1_000) }));
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const ask = (encoding: string) =>
      fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
        headers: { 'accept-encoding': encoding },
      }).then((response) => response.text());
    const encodings = ['br', 'gzip', 'identity'];
    const [first] = await Promise.all(encodings.map(ask));
    for (const encoding of encodings) assert.equal(await ask(encoding), first);
    assert.lengthOf(sent, 6);
    assert.equal(new Set(sent).size, 3);
    server.closeAllConnections();
    server.close();
  });
});
