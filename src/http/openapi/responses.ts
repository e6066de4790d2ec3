import { ErrorSchema, ValidationErrorSchema } from '../../schemas/errors.js';
import { type Described, header, type ResponseDoc } from '../endpoint.js';
import { isVersioned } from '../strict.js';

const RULE_RESPONSES: Record<Described['access'], number[]> = {
  open: [],
  counted: [429, 500, 503],
  key: [401, 429, 500, 503],
  read: [401, 429, 500, 503],
  writer: [401, 403, 413, 415, 422, 429, 500, 503],
  suggestions: [401, 429, 500, 503],
  admin: [403, 429, 500, 503],
};

export const RETRY_AFTER = { 'Retry-After': header('The number of seconds to wait', 'integer') };

const ERRORS: Record<number, ResponseDoc> = {
  304: { description: 'The response has not changed: `If-None-Match` contains its `ETag`' },
  400: error('The combination of parameters is invalid', 'min_price must not be greater than max_price'),
  401: error('The API key is missing, unknown, expired or revoked', 'Invalid or revoked API key', {
    'WWW-Authenticate': header('The scheme: `Bearer`'),
  }),
  403: error('The admin secret is wrong or not configured', 'Invalid admin secret'),
  404: error('Not found', 'Not Found'),
  410: error('The cursor has expired', 'The cursor has expired: start again with an empty cursor'),
  413: error('The body is too large', 'Request body too large'),
  415: error('The content coding or the media type of the body is not supported', 'Unsupported media type'),
  422: {
    description: 'The request is invalid; all findings are reported at once',
    schema: ValidationErrorSchema,
    example: {
      detail: [
        {
          loc: ['query', 'limit'],
          msg: 'Input should be less than or equal to 100',
          type: 'less_than_equal',
        },
      ],
    },
  },
  429: error('The rate limit is exceeded', 'Rate limit exceeded. Retry after 60 seconds.', RETRY_AFTER),
  500: error('Internal error of the service', 'Internal Server Error'),
  503: error(
    'The service is overloaded, or a dependency is temporarily unavailable',
    'Service temporarily unavailable',
    RETRY_AFTER,
  ),
};

const INVALID_HTTP = error('The request is not valid HTTP', 'Bad Request');
const UNREADABLE_BODY = error('The body is incomplete or its compression is corrupt', 'Bad Request');

function error(description: string, detail: string, headers: ResponseDoc['headers'] = {}): ResponseDoc {
  return { description, schema: ErrorSchema, example: { detail }, headers };
}

/** All documented responses of an endpoint. One with a response `default` has no others than its own. */
export function responsesOf(endpoint: Described): Record<string, ResponseDoc> {
  if ('default' in endpoint.responses) return endpoint.responses;
  const validated =
    isVersioned(endpoint) ||
    Object.keys(endpoint.pathParameters.properties).length > 0 ||
    Object.keys(endpoint.query.properties).length > 0;
  const added = [
    ...RULE_RESPONSES[endpoint.access],
    ...(validated ? [422] : []),
    ...(endpoint.body === null ? [] : [413, 415]),
    ...(endpoint.method === 'get' && endpoint.responses[200]?.schema !== undefined ? [304] : []),
  ];
  const responses: Record<number, ResponseDoc> = {};
  for (const status of added) responses[status] = ERRORS[status] ?? error('Error', 'Error');
  if (endpoint.body !== null) responses[400] = UNREADABLE_BODY;
  if (endpoint.access === 'open') responses[400] = INVALID_HTTP;
  for (const [status, doc] of Object.entries(endpoint.responses)) {
    // If an endpoint documents an error without a schema, the schema is that of the usual error with this status.
    responses[Number(status)] = doc.schema === undefined ? { ...ERRORS[Number(status)], ...doc } : doc;
  }
  if (endpoint.idempotent !== undefined) addReplays(responses);
  return responses;
}

function addReplays(responses: Record<number, ResponseDoc>): void {
  const running = 'a request with the same `Idempotency-Key` is still running';
  responses[409] =
    responses[409] === undefined
      ? error(`A${running.slice(1)}`, 'A request with this Idempotency-Key is under way', RETRY_AFTER)
      : { ...responses[409], description: `${responses[409].description}; or ${running}` };
  for (const status of [200, 201]) {
    const doc = responses[status];
    if (doc !== undefined) responses[status] = { ...doc, headers: { ...doc.headers, ...REPLAYED } };
  }
}

const REPLAYED = {
  'Idempotency-Replayed': {
    description: 'Whether the response repeats that of an earlier request with the same `Idempotency-Key`',
    schema: { type: 'string', enum: ['true', 'false'] },
  },
};
