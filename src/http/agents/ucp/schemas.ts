import { type TProperties, Type } from 'typebox';
import { CONDITIONS } from '../../../schemas/condition.js';
import { component, Enum, flag, integer, optional, text } from '../../../schemas/types.js';
import type { Described, ResponseDoc } from '../../endpoint.js';
import { RETRY_AFTER } from '../../openapi/responses.js';
import { mcpPath } from '../mcp/path.js';
import { basePath, CURRENT, RELEASES } from './releases.js';

const Price = component('UcpPrice', {
  amount: integer('The price in the smallest unit of its currency'),
  currency: text('ISO 4217 code'),
});

/** The members that a product and its variants share. */
const described = {
  id: text('The id in this catalogue'),
  title: text('The name'),
  description: Type.Object({ plain: Type.String() }),
  url: optional.text('The page of the shop'),
  categories: optional.Array(Type.Object({ value: Type.String(), taxonomy: Type.String() })),
  media: optional.Array(Type.Object({ type: Type.String(), url: Type.String(), alt_text: Type.String() })),
  rating: optional.Object({ value: Type.Number(), scale_min: Type.Number(), scale_max: Type.Number() }),
};

const Variant = component('UcpVariant', 'A listing', {
  ...described,
  sku: Type.String(),
  barcodes: optional.Array(Type.Object({ type: Type.String(), value: Type.String() })),
  price: Price,
  list_price: Type.Optional(Price),
  availability: optional.Object({ available: Type.Boolean(), status: Type.String() }),
  metadata: Type.Object({ condition: Enum(CONDITIONS) }),
  seller: Type.Object({ name: Type.String() }),
  inputs: optional.listOf(
    Type.Object({ id: Type.String(), match: Type.String() }),
    'In a look-up: the requested ids that name the variant',
  ),
});

const Product = component('UcpProduct', 'A product with its listings, the best offer first', {
  ...described,
  price_range: Type.Object({ min: Price, max: Price }),
  variants: Type.Array(Variant),
});

const Message = component('UcpMessage', {
  type: Enum(['info', 'error']),
  code: Type.String(),
  content: Type.String(),
  severity: optional.text('Whether an error can be recovered from'),
});

const envelope = component('UcpEnvelope', {
  version: text('A release of the protocol'),
  capabilities: Type.Unsafe<Record<string, { version: string }[]>>({
    type: 'object',
    additionalProperties: {
      type: 'array',
      items: { type: 'object', properties: { version: { type: 'string' } }, required: ['version'] },
    },
  }),
});
const messages = optional.Array(Message);

const Failure = component(
  'UcpFailure',
  'An outcome that is not a failure of the request, such as an unknown product',
  { ucp: Type.Object({ ...envelope.properties, status: Enum(['error']) }), messages: Type.Array(Message) },
);

export const SearchAnswer = {
  products: Type.Array(Product),
  pagination: Type.Object({
    cursor: optional.text('Gives the next page, if there is one'),
    has_next_page: flag('Whether there is a next page'),
    total_count: integer('The approximate number of products'),
  }),
};
export const LookupAnswer = { products: Type.Array(Product) };
export const ProductAnswer = { product: Product };

const ErrorBody = component('UcpError', { code: Type.String(), content: Type.String() });

const refused = (description: string, headers: ResponseDoc['headers'] = {}): ResponseDoc => ({
  description,
  schema: ErrorBody,
  headers,
});

const REFUSED = {
  400: refused('The request, or the header `UCP-Agent`, is invalid'),
  401: refused('The API key is missing or unusable'),
  429: refused('The rate limit is exceeded', RETRY_AFTER),
  503: refused('The service is overloaded, or a dependency is unavailable', RETRY_AFTER),
  default: refused('Another error, such as 413, 415, 422 or 424 for the profile of the platform, or 500'),
};

const OTHERS = RELEASES.filter((release) => release !== CURRENT)
  .map((release) => `Release ${release} is served in the same way below \`${basePath(release)}\`.`)
  .join(' ');

const AGENT = Type.Object({
  'UCP-Agent': text(
    'The profile of the platform, as a structured field',
    'profile="https://platform.example/.well-known/ucp"',
  ),
});

/** What is documented about an operation. @param members those that its answer has besides `ucp` and `messages`. */
export const documentation = (capability: string, $id: string, members: TProperties) => ({
  description: `The operation \`${capability}\` of the Universal Commerce Protocol. ${OTHERS}`,
  headers: AGENT,
  responses: {
    200: {
      description: 'The outcome',
      schema: Type.Union([Type.Object({ ucp: envelope, ...members, messages }, { $id }), Failure]),
    },
    ...REFUSED,
  },
});

export const ucpMcpPath: Described = {
  ...mcpPath,
  path: '/ucp/mcp',
  responses: { ...mcpPath.responses, 401: REFUSED[401] },
  name: undefined,
  summary: 'Use the operations of UCP as tools over the Model Context Protocol',
  description: `A tool for each operation. Its argument \`meta\` names the profile of the platform. ${OTHERS}`,
};
