import { Type } from 'typebox';
import { TOKEN_SECONDS } from '../../platform/access/tokens.js';
import { endpoint } from '../endpoint.js';
import { unauthorized } from '../../platform/errors.js';
import { Enum } from '../../schemas/types.js';

const TokenSchema = Type.Object(
  {
    access_token: Type.String({ description: 'A JWT; send it as you would the key' }),
    token_type: Enum(['Bearer']),
    expires_in: Type.Integer({ description: 'Seconds', examples: [900] }),
  },
  { $id: 'Token' },
);

export const token = endpoint({
  tag: 'Keys',
  summary: 'Exchange the raw key for a token of 15 minutes',
  description:
    'The token is taken wherever the key is, and dies with it: revoking the key takes effect at once. A token cannot ' +
    'be exchanged for another.',
  responses: { 200: { description: 'A token', schema: TokenSchema } },
  cost: () => null,
  async handle({ tokens, now }, _input, { key }) {
    if (key?.presentedAs !== 'raw') throw unauthorized();
    return {
      headers: { 'Cache-Control': 'no-store' },
      body: {
        access_token: await tokens.issue(key.id, now()),
        token_type: 'Bearer' as const,
        expires_in: TOKEN_SECONDS,
      },
    };
  },
});
