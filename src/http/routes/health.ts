import { Type, type Static } from 'typebox';
import { endpoint } from '../endpoint.js';
import { SERVICE_VERSION } from '../../platform/version.js';
import { component, Enum, text } from '../../schemas/types.js';

const State = Enum(['ok', 'unavailable']);
const tag = 'Service';

const HealthSchema = component('Health', {
  status: State,
  version: text('Version of the service', SERVICE_VERSION),
  environment: text('The value of `NODE_ENV`', 'production'),
  checks: Type.Object({ elasticsearch: State, redis: State }),
});

const stateOf = (isOk: boolean): Static<typeof State> => (isOk ? 'ok' : 'unavailable');

const StatusSchema = component('Status', { status: State });

export const health = endpoint({
  tag,
  probe: true,
  summary: 'Check the health of the service and of its dependencies',
  description: 'Asks Elasticsearch and Redis.',
  responses: {
    200: { description: 'The service and its dependencies are available', schema: HealthSchema },
    503: {
      description: 'A dependency is unavailable',
      schema: HealthSchema,
      example: {
        status: 'unavailable',
        version: SERVICE_VERSION,
        environment: 'production',
        checks: { elasticsearch: 'unavailable', redis: 'ok' },
      },
    },
  },
  async handle({ config, health }) {
    const checks = await health.check();
    const status = stateOf(checks.elasticsearch === 'ok' && checks.redis === 'ok');
    return {
      status: status === 'ok' ? 200 : 503,
      body: { status, version: SERVICE_VERSION, environment: config.environment, checks },
    };
  },
});

export const livez = endpoint({
  tag,
  probe: true,
  summary: 'Check whether the process is running',
  description: 'Asks no dependency.',
  responses: { 200: { description: 'The process is running', schema: StatusSchema } },
  handle: () => ({ body: { status: stateOf(true) } }),
});

export const readyz = endpoint({
  tag,
  probe: true,
  summary: 'Check whether the service can handle requests',
  description:
    'Returns the result of the last check, which runs every second. The service remains ready for the first 10 seconds of an ' +
    'outage of Elasticsearch and for the first minute of an outage of Redis, so that a short outage does not remove the instance ' +
    'from a load balancer; and for up to 12 hours of an outage of Redis if it can serve the keys that it knows.',
  responses: {
    200: { description: 'The service can handle requests', schema: StatusSchema },
    503: {
      description: 'A dependency has been unavailable for longer than that, or the service is shutting down',
      schema: StatusSchema,
      example: { status: 'unavailable' },
    },
  },
  handle: ({ health: { ready } }) => ({ status: ready ? 200 : 503, body: { status: stateOf(ready) } }),
});
