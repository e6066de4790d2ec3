import { TOKEN_SECONDS } from '../../platform/access/tokens.js';
import { endpoint } from '../endpoint.js';
import { unauthorized } from '../../platform/errors.js';
import { component, Enum, integer, text } from '../../schemas/types.js';

const TokenSchema = component('Token', {
  access_token: text('A JWT, to be sent instead of the key'),
  token_type: Enum(['Bearer']),
  expires_in: integer('The validity of the token in seconds', 900),
});

export const token = endpoint({
  tag: 'Keys',
  summary: 'Exchange an API key for a token that is valid for 15 minutes',
  description:
    'The token is accepted wherever the key is accepted. Revoking the key invalidates its tokens immediately. A token cannot be ' +
    'exchanged for another token.',
  responses: { 200: { description: 'A token', schema: TokenSchema } },
  pool: null,
  async handle({ tokens, now }, _input, { key }) {
    if (key?.presentedAs !== 'raw') throw unauthorized();
    return {
      headers: { 'Cache-Control': 'no-store' },
      body: {
        access_token: await tokens.issue(key, now()),
        token_type: 'Bearer' as const,
        expires_in: TOKEN_SECONDS,
      },
    };
  },
});
