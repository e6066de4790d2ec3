import express, { type Router } from 'express';
import { notFound } from '../../src/platform/errors.js';
import { writtenName } from './family.js';
import { PLATFORMS, slugOf } from './offers.js';
import type { SampleProduct } from './product.js';
import { hash32, Random } from './random.js';
import { COLOURS, readTable } from './tables.js';

export const SAMPLE_IMAGES_PATH = '/sample/images';

const PLAIN = 'plain';
const HEX_BY_SLUG = new Map(COLOURS.map(({ en, hex }) => [slugOf(en), hex]));
/** For each product type, the drawing commands of its picture, in the notation that shapes.yaml describes. */
const SHAPES = new Map(
  Object.entries(readTable<Record<string, string>>('shapes')).map(([id, text]) => [id, text.split('; ')]),
);
const shopOf = (source: string): string => source.slice(0, 2);
const SHOPS = new Map(PLATFORMS.map(({ source }, i) => [shopOf(source), i]));
/** The pattern of a valid image name. It allows no character that would have to be escaped in XML. */
const NAME = /^([a-z0-9-]{1,40})_([a-z-]{1,20})_([a-z0-9-]{1,40})_([0-9a-f]{8})(?:_([a-z]{2}))?$/;

/** Returns the name of a product's image, which contains all that is needed to draw it. */
export function imageName({ type, model, colour, device }: SampleProduct, source: string | null): string {
  const hash = hash32(type.id, model.brand, writtenName(model), device === null ? '' : writtenName(device));
  const parts = [
    type.id,
    colour === null ? PLAIN : slugOf(colour.en),
    slugOf(model.brand).slice(0, 40),
    hash.toString(16).padStart(8, '0'),
    ...(source === null ? [] : [shopOf(source)]),
  ];
  return parts.join('_');
}

export function renderImage(name: string): string | null {
  const [, type = '', colour = '', brand = '', hash = '', shop] = NAME.exec(name) ?? [];
  const shape = SHAPES.get(type);
  const random = new Random(type, hash);
  const accent = hsl(random.below(360), 55, 52);
  const main = colour === PLAIN ? accent : HEX_BY_SLUG.get(colour);
  const place = shop === undefined ? -1 : SHOPS.get(shop);
  if (shape === undefined || main === undefined || place === undefined) return null;
  // The size and the place of a drawing tell product types apart in grey, too.
  const spot = new Random(type, '0');
  const scale = 0.62 + spot.below(35) / 100;
  const x = Math.round(200 - 200 * scale + spot.below(81) - 40);
  const y = Math.round(180 - 200 * scale + spot.below(61) - 30);
  const label = brand
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');
  const paints = { ...PAINTS, a: accent, c: main, d: mixed(main, 0, 0.25), l: mixed(main, 255, 0.45) };
  return [
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 400" width="400" height="400" role="img">',
    `<title>${label}</title>`,
    '<rect width="400" height="400" fill="#fff"/>',
    `<g transform="translate(${x} ${y}) scale(${scale})" stroke="#20252b" stroke-opacity=".35" stroke-width="2.5">`,
    ...shape.map((command) => drawn(command, paints)),
    '</g>',
    // Each shop has a picture of its own, which differs a little from the others.
    `<text x="${200 + (place + 1) / 2}" y="386" text-anchor="middle" font-family="sans-serif" font-size="20" font-weight="600" fill="#20252b">${label}</text>`,
    '</svg>',
  ].join('');
}

const PAINTS = {
  s: '#1c2026',
  k: '#3a3f45',
  m: '#9aa1a8',
  w: '#fbfbf9',
  r: '#b5323a',
  y: '#e3b744',
  b: '#8a6242',
};

/** Draws a command of shapes.yaml, such as `C 200 78 6 m`: its kind, its values and its paint. */
function drawn(command: string, paints: Readonly<Record<string, string>>): string {
  const [kind, ...rest] = command.split(' ');
  const [a, b, c, d, e] = rest;
  const paint = paints[rest.at(-1) ?? ''] ?? '';
  const fill = `fill="${paint}"`;
  if (kind === 'R') return `<rect x="${a}" y="${b}" width="${c}" height="${d}" rx="${e}" ${fill}/>`;
  if (kind === 'C') return `<circle cx="${a}" cy="${b}" r="${c}" ${fill}/>`;
  if (kind === 'E') return `<ellipse cx="${a}" cy="${b}" rx="${c}" ry="${d}" ${fill}/>`;
  if (kind === 'P') return `<path d="${a}" ${fill}/>`;
  return `<path d="${b}" fill="none" stroke="${paint}" stroke-opacity="1" stroke-width="${a}" stroke-linecap="round"/>`;
}

const hexByte = (value: number): string => Math.round(value).toString(16).padStart(2, '0');

function mixed(hex: string, to: number, share: number): string {
  const channels = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
  return `#${channels.map((value) => hexByte(value + (to - value) * share)).join('')}`;
}

function hsl(hue: number, saturation: number, lightness: number): string {
  const [s, l] = [saturation / 100, lightness / 100];
  const channel = (n: number) => {
    const k = (n + hue / 30) % 12;
    return hexByte(255 * (l - s * Math.min(l, 1 - l) * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  return `#${channel(0)}${channel(8)}${channel(4)}`;
}

/** Serves the images of the sample catalogue. Each image is drawn from its name, so no image is stored. */
export function sampleImages(): Router {
  const router = express.Router();
  router.get(`${SAMPLE_IMAGES_PATH}/:name.svg`, (request, response) => {
    const svg = renderImage(request.params.name);
    if (svg === null) throw notFound();
    response
      // Cross-Origin-Resource-Policy allows websites of other origins to display the images.
      .set({ 'Cache-Control': 'public, max-age=86400', 'Cross-Origin-Resource-Policy': 'cross-origin' })
      .type('image/svg+xml')
      .send(svg);
  });
  return router;
}
