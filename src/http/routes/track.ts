import { failure } from '../../schemas/errors.js';
import { endpoint, header } from '../endpoint.js';
import { productPath } from '../../products/product-ids.js';
import { trackClick } from '../../usecases/track-click.js';

export const track = endpoint({
  tag: 'Tracking',
  summary: 'Follow a tracked link to the shop',
  description:
    'The `affiliate_url` of a listing points here, unless the feed or the operator provides another one. Requests are limited by ' +
    'client address, even while Redis is unavailable. Clicks are recorded asynchronously; HEAD requests are not counted.',
  pathParameters: productPath,
  responses: {
    302: {
      description: 'A redirect to the shop',
      headers: { Location: header('The `buy_url` of the listing') },
    },
    404: failure('No listing has this id, or the listing has no `buy_url`', 'Product not found'),
  },
  handle: (context, { path }, caller) => trackClick(context, path.product_id, caller),
});
