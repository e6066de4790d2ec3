import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { assert } from 'chai';
import express from 'express';
import { createAdmissionControl } from '../../src/http/admission/admission-control.js';
import { answerErrors } from '../../src/http/errors.js';
import { createLogger } from '../../src/telemetry/logger.js';
import { ConcurrencySlots } from '../../src/http/admission/concurrency-slots.js';
import { until } from '../support/until.js';

const CROWD = 40;

describe('admission control', () => {
  it('looks up few credentials of one client while all slots are taken, and lets another client go first', async () => {
    const pool = new ConcurrencySlots({ limit: { size: () => 1 }, queue: 0, maxWait: 0 });
    await pool.acquire({ client: 'somebody' });
    const admission = createAdmissionControl(pool, 60_000);
    const inside: string[] = [];
    let letGo = () => assert.fail('released too early');
    const held = new Promise<void>((resolve) => (letGo = resolve as typeof letGo));
    const app = express();
    app.get(
      '/',
      admission.enter,
      async (request, _response, next) => {
        inside.push(request.get('authorization') ?? '');
        await held;
        next();
      },
      admission.leave,
      (_request, response) => void response.end(),
    );
    app.use(answerErrors(createLogger({ environment: 'test', logLevel: 'silent' }, (text) => text)));
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const statuses: Promise<number>[] = [];
    const ask = (authorization: string) => {
      const asked = fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
        headers: { authorization },
      });
      statuses.push(asked.then(({ status }) => status));
    };
    for (let i = 0; i < CROWD; i += 1) ask('crowd');
    const refused = async () => {
      const sofar = statuses.map((each) => Promise.race([each, new Promise((r) => setImmediate(r, 0))]));
      return (await Promise.all(sofar)).filter((status) => status === 503).length;
    };
    // Four of the requests are admitted and four wait; all others are refused.
    await until(async () => (await refused()) === CROWD - 8);
    assert.lengthOf(inside, 4);
    ask('other');
    // The request of the other client replaces one of the waiting requests, which is refused.
    await until(async () => (await refused()) === CROWD - 7);
    letGo();
    const all = await Promise.all(statuses);
    assert.equal(all.at(-1), 200);
    assert.deepEqual(inside.slice(0, 5), ['crowd', 'crowd', 'crowd', 'crowd', 'other']);
    assert.lengthOf(inside, 8);
    server.closeAllConnections();
    server.close();
  });
});
