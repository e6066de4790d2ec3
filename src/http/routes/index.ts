import { del, type Endpoint, get, patch, post } from '../endpoint.js';
import * as alerts from './alerts.js';
import { bestPrice } from './best-price.js';
import { brands } from './brands.js';
import { categories } from './categories.js';
import { changes } from './changes.js';
import { compare, compareDiff, compareMatrix } from './compare.js';
import { deals } from './deals.js';
import { exportRoute } from './export.js';
import { health, livez, readyz } from './health.js';
import { createKeyRoute, listKeysRoute, revokeKeyRoute, rotateKeyRoute, token, usage } from './keys.js';
import { writeListingsRoute } from './listings.js';
import { lookup, lookupMany } from './lookup.js';
import { priceHistories, priceHistory, priceHistoryPicture } from './price-history.js';
import { offers } from './offers.js';
import { product } from './product.js';
import { flagged, quality } from './quality.js';
import { decideRoute, listDecisionsRoute, reviewRoute, undoDecisionRoute } from './review.js';
import { apiRoot } from './root.js';
import { listProducts, search } from './search.js';
import { compatible, similar } from './similar.js';
import { sources } from './sources.js';
import { suggest } from './suggest.js';
import { track } from './track.js';
import { trending } from './trending.js';

const root = apiRoot(() => endpoints);

/** All endpoints. Static paths come before `/v1/products/{product_id}`, which would match them as well. */
export const endpoints: readonly Endpoint[] = [
  get('/', 'counted', {
    ...root,
    summary: 'Describe the API, without a key',
    responses: { ...root.responses, 302: { description: 'To the explorer, if `Accept` names HTML' } },
    handle: async (...given) => ({
      ...(await root.handle(...given)),
      headers: { 'Cache-Control': 'no-store', Vary: 'Accept' },
    }),
  }),
  get('/v1', 'read', root),
  get('/health', 'open', health),
  get('/livez', 'open', livez),
  get('/readyz', 'open', readyz),
  get('/v1/search', 'read', search, 'search'),
  get('/v1/products', 'read', listProducts, 'products'),
  get('/v1/suggest', 'suggestions', suggest, { more: 'suggest' }),
  get('/v1/lookup', 'read', lookup, { more: 'lookup' }),
  post('/v1/lookup', 'read', lookupMany, { more: 'lookup_many' }),
  get('/v1/products/trending', 'read', trending, 'trending'),
  get('/v1/products/export', 'key', exportRoute, 'export'),
  get('/v1/products/best-price', 'read', bestPrice, 'best_price'),
  get('/v1/products/compare', 'read', compare, 'compare_single'),
  post('/v1/products/compare', 'read', compareMatrix, 'compare_matrix'),
  post('/v1/products/compare/diff', 'read', compareDiff, 'compare_diff'),
  post('/v1/products/price-history', 'read', priceHistories, { more: 'price_histories' }),
  get('/v1/products/{product_id}', 'read', product, 'product'),
  get('/v1/products/{product_id}/offers', 'read', offers, { more: 'offers' }),
  get('/v1/products/{product_id}/similar', 'read', similar, { more: 'similar' }),
  get('/v1/products/{product_id}/compatible', 'read', compatible, { more: 'compatible' }),
  get('/v1/products/{product_id}/price-history', 'read', priceHistory, { more: 'price_history' }),
  get('/v1/products/{product_id}/price-history.svg', 'read', priceHistoryPicture, {
    more: 'price_history_svg',
  }),
  get('/v1/categories', 'read', categories, 'categories'),
  get('/v1/sources', 'read', sources, { more: 'sources' }),
  get('/v1/brands', 'read', brands, { more: 'brands' }),
  get('/v1/deals', 'read', deals, 'deals'),
  get('/v1/changes', 'key', changes, { more: 'changes' }),
  post('/v1/alerts', 'key', alerts.createAlertRoute, { more: 'create_alert' }),
  get('/v1/alerts', 'key', alerts.listAlertsRoute, { more: 'alerts' }),
  get('/v1/alerts/{alert_id}', 'key', alerts.getAlertRoute, { more: 'alert' }),
  patch('/v1/alerts/{alert_id}', 'key', alerts.changeAlertRoute, { more: 'change_alert' }),
  del('/v1/alerts/{alert_id}', 'key', alerts.deleteAlertRoute, { more: 'delete_alert' }),
  get('/v1/alerts/{alert_id}/events', 'key', alerts.alertEventsRoute, { more: 'alert_events' }),
  post('/v1/alerts/{alert_id}/test', 'key', alerts.testAlertRoute, { more: 'test_alert' }),
  post('/v1/alerts/{alert_id}/rotate', 'key', alerts.rotateAlertRoute, { more: 'rotate_alert' }),
  post('/v1/alerts/{alert_id}/events/{event_id}/redeliver', 'key', alerts.redeliverRoute, {
    more: 'redeliver',
  }),
  post('/v1/listings', 'writer', writeListingsRoute, { more: 'write_listings' }),
  get('/v1/usage', 'key', usage, { more: 'usage' }),
  get('/v1/quality', 'read', quality, { more: 'quality' }),
  get('/v1/quality/{flag}', 'read', flagged, { more: 'flagged' }),
  get('/v1/review', 'key', reviewRoute, { more: 'review' }),
  post('/v1/decisions', 'key', decideRoute, { more: 'decide' }),
  get('/v1/decisions', 'key', listDecisionsRoute, { more: 'decisions' }),
  del('/v1/decisions/{decision_id}', 'key', undoDecisionRoute, { more: 'undo_decision' }),
  post('/v1/keys', 'admin', createKeyRoute),
  get('/v1/keys', 'admin', listKeysRoute),
  del('/v1/keys/{key_id}', 'admin', revokeKeyRoute),
  post('/v1/keys/{key_id}/rotate', 'admin', rotateKeyRoute),
  post('/v1/token', 'key', token),
  get('/track/{product_id}', 'counted', track),
];
