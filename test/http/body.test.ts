import { createServer } from 'node:http';
import { assert } from 'chai';
import express, { type ErrorRequestHandler } from 'express';
import type { ApiError } from '../../src/platform/errors.js';
import { boundedBody } from '../../src/http/transfer/request-body.js';
import { listening } from '../support/server.js';

describe('a bounded body', () => {
  it('refuses an unsupported content coding before the body is read', async () => {
    let reads = 0;
    const app = express();
    app.use(
      boundedBody(1_000, (_request, _response, next) => {
        reads += 1;
        next();
      }),
      (_request, response) => void response.end(),
    );
    const onError: ErrorRequestHandler = (error, _request, response, _next) => {
      response.status((error as ApiError).status).end();
    };
    app.use(onError);
    const server = createServer(app);
    const url = await listening(server);
    const statusOf = async (coding: string) =>
      (await fetch(url, { method: 'POST', body: '{}', headers: { 'content-encoding': coding } })).status;
    try {
      for (const coding of ['zstd', 'compress', 'gzip, zstd'])
        assert.equal(await statusOf(coding), 415, coding);
      assert.equal(reads, 0);
      for (const coding of ['GZIP', 'br', 'identity']) assert.equal(await statusOf(coding), 200, coding);
      assert.equal(reads, 3);
    } finally {
      server.close();
    }
  });
});
