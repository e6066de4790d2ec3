import path from 'node:path';
import express, { type RequestHandler, type Router } from 'express';
import { shippedFiles, shippedText } from '../platform/shipped-files.js';
import { refuseMethod } from './router.js';
import { staticAnswer } from './transfer/response-body.js';

/** The folder of the bundle, which `tools/explorer.mjs` writes. */
const FOLDER = 'explorer/built';

/** The paths of the views of the explorer and of the review desk. The page decides by the path which view it shows. */
const VIEWS = [
  '/explore',
  '/explore/products/:id',
  '/explore/deals',
  '/explore/categories',
  '/explore/sources',
  '/explore/watched',
  '/review',
  '/review/decisions',
];

/** A content security policy. By default all comes from this service, so that no shop learns who looks at its listings. */
export const pagePolicy = ({ styles = "'self'", images = "'self'" } = {}): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styles}`,
    `img-src ${images}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** Redirects browsers, which name `text/html` in `Accept`, from the API root to the explorer. A weight of 0 refuses HTML. */
export const redirectBrowsers: RequestHandler = (request, response, next) => {
  if (!request.accepts().some((type) => type.toLowerCase() === 'text/html')) return next();
  const headers = { 'Cache-Control': 'no-store', Vary: 'Accept', Location: '/explore' };
  response.status(302).set(headers).end();
};

/** Serves the explorer and the review desk. `key`: one for everybody, as in the demo. @throws ShippedFileError without the bundle. */
export function explorerRoutes(settings: { publicUrl: string; key?: string | null }): Router {
  const router = express.Router();
  const page = staticAnswer({
    type: 'html',
    headers: { 'Content-Security-Policy': pagePolicy(), 'Referrer-Policy': 'no-referrer' },
    content: withSettings(shippedText(`${FOLDER}/index.html`), settings),
  });
  // The bundler chooses the names of files that views load on demand, so all files of the folder are served.
  const files = shippedFiles(FOLDER).filter((name) => !name.endsWith('.html'));
  for (const name of files) {
    router.get(
      `/explore/${name}`,
      staticAnswer({ type: path.extname(name), content: shippedText(`${FOLDER}/${name}`) }),
    );
  }
  for (const view of VIEWS) router.get(view, page);
  router.all([...VIEWS, ...files.map((name) => `/explore/${name}`)], refuseMethod());
  return router;
}

/** Writes the settings into a page, so that it needs no request for them before its first search. */
export function withSettings(
  page: string,
  { publicUrl, key = null }: { publicUrl: string; key?: string | null },
): string {
  const settings = JSON.stringify({ public_url: publicUrl, key });
  const quoted = settings.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  return page.replace('</title>', () => `</title>\n    <meta name="settings" content="${quoted}" />`);
}
