import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import express, { type Router } from 'express';
import { examplePicture } from '../routes/price-history.js';
import { shippedText } from '../../platform/shipped-files.js';
import { NAME, siteHeader } from '../site-header.js';
import { pagePolicy } from '../explorer.js';
import { refuseMethod } from '../router.js';
import { staticAnswer } from '../transfer/response-body.js';

const ASSETS = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
const FILES = ['swagger-ui.css', 'swagger-ui-bundle.js'];

const page = (hasExplorer: boolean) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>API · ${NAME}</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="stylesheet" href="/docs/header.css">
<link rel="stylesheet" href="/docs/page.css">
<link rel="icon" type="image/svg+xml" href="/docs/icon.svg">
</head>
<body>
${siteHeader({ path: '/docs', hasExplorer })}
<div id="docs"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

/** Colours with sufficient contrast for elements in which Swagger UI's own colours lack it. */
const STYLE = `body { margin: 0; }
.swagger-ui .servers-title, .swagger-ui .servers { display: none; }
.swagger-ui .info .title small { background: #4b5563; }
.swagger-ui .info .title small.version-stamp { background: #3f5d00; }
.swagger-ui .info a, .swagger-ui .link, .swagger-ui a.nostyle.link { color: light-dark(#1b57c2, #85b1ff); }
.swagger-ui .btn.authorize { color: light-dark(#146c43, #6fd3a0); border-color: currentcolor; }
.swagger-ui .json-schema-2020-12-expand-deep-button { color: light-dark(#4b5563, #c3cad4); }
.swagger-ui .btn.authorize svg { fill: currentcolor; }
.swagger-ui .opblock.opblock-get .opblock-summary-method { background: #1b57c2; }
.swagger-ui .opblock.opblock-post .opblock-summary-method { background: #146c43; }
.swagger-ui .opblock.opblock-patch .opblock-summary-method { background: #006a5b; }
.swagger-ui .opblock.opblock-delete .opblock-summary-method { background: #b3261e; }
`;

/** Starts Swagger UI. The key is stored for the browser tab only; the library would store it permanently. */
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

// A link inside a button is not accessible, so paths are plain text. Opening an operation still changes the address.
const plainPaths = ({ React }) => ({
  components: { DeepLink: ({ text }) => React.createElement('span', null, text) },
});

const dark = matchMedia('(prefers-color-scheme: dark)');
const paint = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', paint);
paint();

// Only the demo has a key that everybody may use. The settings in the explorer's page contain it.
const useKeyOfDemo = async () => {
  const response = await fetch('/explore');
  if (!response.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  const { key } = JSON.parse(page.querySelector('meta[name="settings"]')?.content ?? '{}');
  if (key) window.ui.preauthorizeApiKey(KEPT, key);
};

window.ui = SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#docs',
  layout: 'BaseLayout',
  validatorUrl: null,
  persistAuthorization: false,
  tryItOutEnabled: true,
  deepLinking: true,
  plugins: [keepForTheTab, focusOnTheKey, plainPaths],
  onComplete: () => {
    // Every part of the page belongs to a landmark.
    for (const [part, label] of [['.information-container', 'About the API'], ['.schemes-server-container', 'Key']]) {
      const element = document.querySelector(part);
      element?.setAttribute('role', 'region');
      element?.setAttribute('aria-label', label);
    }
    const bearer = sessionStorage.getItem(KEPT);
    if (bearer === null) void useKeyOfDemo();
    else window.ui.authActions.restoreAuthorization({ authorized: { [KEPT]: JSON.parse(bearer) } });
  },
});
`;

/** Swagger UI sets inline styles and draws icons from data URLs; everything else must come from this service. */
const CONTENT_SECURITY_POLICY = pagePolicy({ styles: "'self' 'unsafe-inline'", images: "'self' data:" });

/** Serves `/openapi.json`, and Swagger UI at `/docs` from local files. @param hasExplorer whether its header leads to the explorer. */
export function docsRoutes(document: Record<string, unknown>, hasExplorer: boolean): Router {
  const router = express.Router();
  router.get('/openapi.json', staticAnswer({ type: 'application/json', content: JSON.stringify(document) }));
  router.get(
    '/docs',
    staticAnswer({
      type: 'html',
      headers: { 'Content-Security-Policy': CONTENT_SECURITY_POLICY },
      content: page(hasExplorer),
    }),
  );
  router.get('/docs/start.js', staticAnswer({ type: 'js', content: START }));
  router.get('/docs/page.css', staticAnswer({ type: 'css', content: STYLE }));
  for (const name of ['icon.svg', 'header.css']) {
    const content = shippedText(`explorer/built/${name}`);
    router.get(`/docs/${name}`, staticAnswer({ type: path.extname(name), content }));
  }
  for (const name of FILES) {
    const content = readFileSync(path.join(ASSETS, name));
    const headers = { 'Cache-Control': 'public, max-age=86400' };
    router.get(`/docs/${name}`, staticAnswer({ type: path.extname(name), headers, content }));
  }
  router.get('/docs/price-history.svg', staticAnswer(examplePicture));
  router.all(['/openapi.json', '/docs'], refuseMethod());
  return router;
}
