import express, { type Router } from 'express';
import { notFound } from '../../src/platform/errors.js';
import { SAMPLE_IMAGES_PATH } from './catalogue.js';
import { renderImage } from './image.js';

/** The sample catalogue's pictures, drawn from their names: nothing is stored. */
export function sampleImages(): Router {
  const router = express.Router();
  router.get(`${SAMPLE_IMAGES_PATH}/:name.svg`, (request, response) => {
    const svg = renderImage(request.params.name);
    if (svg === null) throw notFound();
    response
      .set({
        'Cache-Control': 'public, max-age=86400',
        // Whatever shows listings shows their pictures, wherever it stands.
        'Cross-Origin-Resource-Policy': 'cross-origin',
      })
      .type('image/svg+xml')
      .send(svg);
  });
  return router;
}
