import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { assert } from 'chai';
import express from 'express';
import { createDoor } from '../../src/http/admission/admission.js';
import { answerErrors } from '../../src/http/middleware.js';
import { createLogger } from '../../src/telemetry/logger.js';
import { Places } from '../../src/http/admission/slots.js';
import { until } from '../support/until.js';

const CROWD = 40;

/** Seen to fail: with all let in; with whoever comes first let in first. */
describe('the door', () => {
  it('lets in few of a crowd while all places behind it are taken, and others before the rest of it', async () => {
    const behind = new Places({ limit: { size: () => 1 }, queue: 0, patience: 0 });
    await behind.take({ client: 'somebody', places: 1 });
    const door = createDoor(behind, 60_000);
    const inside: string[] = [];
    let letGo = () => assert.fail('too early');
    const held = new Promise<void>((resolve) => (letGo = resolve as typeof letGo));
    const app = express();
    app.get(
      '/',
      door.enter,
      async (request, _response, next) => {
        inside.push(request.get('authorization') ?? '');
        await held;
        next();
      },
      door.leave,
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
    // All have come: four are inside, four wait.
    await until(async () => (await refused()) === CROWD - 8);
    assert.lengthOf(inside, 4);
    ask('other');
    // The other has the turn of one of them.
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
