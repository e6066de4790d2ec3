import { Type, type Static } from 'typebox';
import { endpoint } from '../endpoint.js';
import { SERVICE_VERSION } from '../../platform/version.js';
import { Enum } from '../../schemas/types.js';

const State = Enum(['ok', 'unavailable']);
const tag = 'Service';

const HealthSchema = Type.Object(
  {
    status: State,
    version: Type.String({ description: 'Version of the service' }),
    environment: Type.String(),
    checks: Type.Object({ elasticsearch: State, redis: State }),
  },
  { $id: 'Health' },
);

const stateOf = (fine: boolean): Static<typeof State> => (fine ? 'ok' : 'unavailable');

const StatusSchema = Type.Object({ status: State }, { $id: 'Status' });

export const health = endpoint({
  tag,
  probe: true,
  summary: 'Health of the service and of what it needs',
  responses: {
    200: { description: 'All is well', schema: HealthSchema },
    503: { description: 'Something that the service needs is away', schema: HealthSchema },
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
  summary: 'Whether the process runs; touches nothing else',
  responses: { 200: { description: 'It runs', schema: StatusSchema } },
  handle: () => ({ body: { status: stateOf(true) } }),
});

export const readyz = endpoint({
  tag,
  probe: true,
  summary: 'Whether the service can answer now',
  description:
    'Answers at once, from what is seen each second. A hiccup is no reason to be taken out of a proxy: the engine may ' +
    'be away for 10 s, Redis for the minute in which keys are remembered.',
  responses: {
    200: { description: 'Send requests', schema: StatusSchema },
    503: {
      description: 'Send them elsewhere: something has been away for long, or the service is stopping',
      schema: StatusSchema,
    },
  },
  handle: ({ health: { ready } }) => ({ status: ready ? 200 : 503, body: { status: stateOf(ready) } }),
});
