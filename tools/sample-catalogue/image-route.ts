import express, { type Router } from 'express';
import { notFound } from '../../src/platform/errors.js';
import { SAMPLE_IMAGES_PATH } from './catalogue.js';
import { renderImage } from './image.js';

/** Serves the images of the sample catalogue. Each image is drawn from its name, so no image is stored. */
export function sampleImages(): Router {
  const router = express.Router();
  router.get(`${SAMPLE_IMAGES_PATH}/:name.svg`, (request, response) => {
    const svg = renderImage(request.params.name);
    if (svg === null) throw notFound();
    response
      .set({
        'Cache-Control': 'public, max-age=86400',
        // The header allows websites of other origins to display the images.
        'Cross-Origin-Resource-Policy': 'cross-origin',
      })
      .type('image/svg+xml')
      .send(svg);
  });
  return router;
}
