import path from 'node:path';
import express, { type Router } from 'express';
import { ApiError } from '../platform/errors.js';
import { shippedText } from '../platform/shipped-files.js';
import { staticAnswer } from './transfer/response-body.js';

/** The folder of the bundle, which `tools/explorer.mjs` writes. */
const FOLDER = 'explorer/built';

/** The files of the explorer besides its page. */
const FILES = ['app.js', 'app.css', 'icon.svg'];

/** The paths of the views of the explorer and of the review desk. The page decides by the path which view it shows. */
const VIEWS = [
  '/explore',
  '/explore/products/:id',
  '/explore/deals',
  '/explore/categories',
  '/explore/sources',
  '/review',
  '/review/decisions',
];

/**
 * The content security policy of the explorer: everything comes from this service, pictures included, so that
 * no shop learns who looks at its listings.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Serves the explorer at `/explore` and the review desk at `/review` from the files that ship with the service. Loading it needs no key; the
 * requests that it sends to the API do.
 * @throws ShippedFileError if the bundle is missing.
 */
export function explorerRoutes({ publicUrl }: { publicUrl: string }): Router {
  const router = express.Router();
  const page = staticAnswer({
    type: 'html',
    headers: { 'Content-Security-Policy': CONTENT_SECURITY_POLICY, 'Referrer-Policy': 'no-referrer' },
    content: shippedText(`${FOLDER}/index.html`),
  });
  for (const name of FILES) {
    router.get(
      `/explore/${name}`,
      staticAnswer({ type: path.extname(name), content: shippedText(`${FOLDER}/${name}`) }),
    );
  }
  router.get('/explore/settings.json', staticAnswer(explorerSettings({ publicUrl, key: null })));
  for (const view of VIEWS) router.get(view, page);
  router.all(
    [...VIEWS, '/explore/settings.json', ...FILES.map((name) => `/explore/${name}`)],
    (_request, _response, next) => {
      next(new ApiError(405, 'Method Not Allowed', { Allow: 'GET, HEAD' }));
    },
  );
  return router;
}

/**
 * The answer to `/explore/settings.json`.
 * @param settings `publicUrl`: the URL of the pictures that this service serves itself; `key`: the API key
 * that everybody who opens the explorer may use, which only the demo has.
 */
export const explorerSettings = (settings: { publicUrl: string; key: string | null }) => ({
  type: 'json',
  content: JSON.stringify({ public_url: settings.publicUrl, key: settings.key }),
});
