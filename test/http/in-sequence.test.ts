import { assert } from 'chai';
import type { Request, RequestHandler, Response } from 'express';
import { inSequence } from '../../src/http/middleware.js';

describe('handlers in sequence', () => {
  /** Runs handlers. @returns the names of those that ran, and what the last one passed on. */
  function run(handlers: Record<string, RequestHandler>): Promise<{ ran: string[]; passed: unknown }> {
    const ran: string[] = [];
    const noted = Object.entries(handlers).map(
      ([name, handler]): RequestHandler =>
        (request, response, next) => {
          ran.push(name);
          return handler(request, response, next);
        },
    );
    return new Promise((resolve) => {
      const next = (passed?: unknown) => {
        resolve({ ran, passed });
      };
      void inSequence(...noted)({} as Request, {} as Response, next);
    });
  }
  const passing: RequestHandler = (_request, _response, next) => {
    setImmediate(next);
  };

  it('run one after the other', async () => {
    assert.deepEqual(await run({ a: passing, b: passing }), { ran: ['a', 'b'], passed: undefined });
    assert.deepEqual(await run({}), { ran: [], passed: undefined });
  });

  const error = new Error('no');
  const failing: Record<string, RequestHandler> = {
    'passes on': (_request, _response, next) => {
      next(error);
    },
    throws: () => {
      throw error;
    },
    'rejects with': async () => Promise.reject(error),
  };
  for (const [how, handler] of Object.entries(failing))
    it(`end with the error that one ${how}`, async () => {
      assert.deepEqual(await run({ a: passing, b: handler, c: passing }), { ran: ['a', 'b'], passed: error });
    });
});
