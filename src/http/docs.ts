import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import express, { type RequestHandler, type Router } from 'express';
import { compress } from './compress.js';
import { ApiError } from '../errors.js';

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

/** The base layout has no top bar; without a validator nothing is sent anywhere but here. */
const START = `window.ui = SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#docs',
  layout: 'BaseLayout',
  validatorUrl: null,
  persistAuthorization: false,
  tryItOutEnabled: true,
});
`;

/** The bundle sets styles on elements and draws icons from data URLs; all else comes from here alone. */
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

/** `/openapi.json`, and `/docs`: Swagger UI from local files under a strict policy. */
export function docsRoutes(document: Record<string, unknown>): Router {
  const router = express.Router();
  const json = JSON.stringify(document);
  const assets = new Map(FILES.map((name) => [name, readFileSync(path.join(ASSETS, name))]));
  const page: RequestHandler = (_request, response) => {
    response
      .set({ 'Content-Security-Policy': CONTENT_SECURITY_POLICY, 'Cache-Control': 'no-cache' })
      .type('html')
      .send(PAGE);
  };
  router.get('/openapi.json', compress, (_request, response) => {
    response.set('Cache-Control', 'no-cache').type('application/json').send(json);
  });
  router.get('/docs', page);
  router.get('/docs/start.js', (_request, response) => {
    response.set('Cache-Control', 'no-cache').type('js').send(START);
  });
  router.get<{ file: string }>('/docs/:file', compress, (request, response, next) => {
    const content = assets.get(request.params.file);
    if (content === undefined) {
      next();
      return;
    }
    response
      .set('Cache-Control', 'public, max-age=86400')
      .type(path.extname(request.params.file))
      .send(content);
  });
  router.all(['/openapi.json', '/docs'], (_request, _response, next) => {
    next(new ApiError(405, 'Method Not Allowed', { Allow: 'GET, HEAD' }));
  });
  return router;
}
