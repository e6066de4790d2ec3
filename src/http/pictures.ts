import express, { type Router } from 'express';
import { notFound } from '../platform/errors.js';
import { readPicture } from '../platform/pictures.js';
import { refuseMethod } from './router.js';

/** Serves the stored pictures of a folder, without a key, because a browser sends none with pictures. */
export function pictureRoutes(folder: string): Router {
  const router = express.Router();
  const path = '/pictures/:name';
  router.get(path, async (request, response) => {
    const picture = await readPicture(folder, request.params.name);
    if (picture === null) throw notFound();
    // The name of a picture follows from its content, so an answer stays valid.
    response.set('Cache-Control', 'public, max-age=31536000, immutable');
    response.set('Cross-Origin-Resource-Policy', 'cross-origin').type('webp').send(picture);
  });
  router.all(path, refuseMethod());
  return router;
}
