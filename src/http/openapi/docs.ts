import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import express, { type Router } from 'express';
import { examplePicture } from '../routes/price-history.js';
import { ApiError } from '../../platform/errors.js';
import { staticAnswer } from '../transfer/response-body.js';

const ASSETS = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
const FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'];

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Product Catalog API</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
</head>
<body>
<div id="docs"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

/**
 * The script that starts Swagger UI, without a validator on other servers. The key is stored for the browser tab only,
 * because the library would store it permanently. The admin secret is not stored.
 */
const START = `const KEPT = 'bearer';

const keepForTheTab = () => ({
  statePlugins: {
    auth: {
      wrapActions: {
        persistAuthorizationIfNeeded: (_persist, { authSelectors }) => () => {
          const bearer = authSelectors.authorized().toJS()[KEPT];
          if (bearer === undefined) sessionStorage.removeItem(KEPT);
          else sessionStorage.setItem(KEPT, JSON.stringify(bearer));
        },
      },
    },
  },
});

// Every field of the dialog requests the focus when it opens; the last one, for the admin secret, would get it.
const focusOnTheKey = () => ({
  statePlugins: {
    auth: {
      wrapActions: {
        showDefinitions: (show) => (definitions) => {
          const shown = show(definitions);
          if (definitions) setTimeout(() => document.getElementById('auth-bearer-value')?.focus());
          return shown;
        },
      },
    },
  },
});

window.ui = SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#docs',
  layout: 'BaseLayout',
  validatorUrl: null,
  persistAuthorization: false,
  tryItOutEnabled: true,
  deepLinking: true,
  plugins: [keepForTheTab, focusOnTheKey],
  onComplete: () => {
    const bearer = sessionStorage.getItem(KEPT);
    if (bearer !== null) window.ui.authActions.restoreAuthorization({ authorized: { [KEPT]: JSON.parse(bearer) } });
  },
});
`;

/**
 * The content security policy of the docs page. The bundle of Swagger UI sets inline styles and draws icons
 * from data URLs; everything else must come from this service.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Serves `/openapi.json`, and Swagger UI at `/docs` from local files with a strict content security policy. */
export function docsRoutes(document: Record<string, unknown>): Router {
  const router = express.Router();
  router.get('/openapi.json', staticAnswer({ type: 'application/json', content: JSON.stringify(document) }));
  router.get(
    '/docs',
    staticAnswer({
      type: 'html',
      headers: { 'Content-Security-Policy': CONTENT_SECURITY_POLICY },
      content: PAGE,
    }),
  );
  router.get('/docs/start.js', staticAnswer({ type: 'js', content: START }));
  for (const name of FILES) {
    const content = readFileSync(path.join(ASSETS, name));
    const headers = { 'Cache-Control': 'public, max-age=86400' };
    router.get(`/docs/${name}`, staticAnswer({ type: path.extname(name), headers, content }));
  }
  router.get('/docs/price-history.svg', staticAnswer(examplePicture));
  router.all(['/openapi.json', '/docs'], (_request, _response, next) => {
    next(new ApiError(405, 'Method Not Allowed', { Allow: 'GET, HEAD' }));
  });
  return router;
}
