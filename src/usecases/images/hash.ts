import sharp, { type Sharp } from 'sharp';
import { ImageFailure } from './failure.js';

/** The image formats that shops use. All other decoders are blocked, because the image files are untrusted. */
const DECODERS = ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif', 'Svg'];
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: DECODERS.map((name) => `VipsForeignLoad${name}`) });
/** The cache of the image library is off, because every image is decoded only once. */
sharp.cache(false);

/** A small file can decompress to an image that exhausts the memory. */
const MAX_PIXELS = 40_000_000;
const DEADLINE_SECONDS = 5;

const SIDE = 128;
/** The number of frequencies of the cosine transform in each direction: 1 to 8 half periods across and down. */
const WAVES = 8;
/** Frequencies with at most this amplitude, in grey levels (of 256), are noise of image encoders. */
const NOISE_LEVELS = 0.4;
const BLANK_LEVELS = 4;

const COSINES = Array.from({ length: WAVES + 1 }, (_row, wave) =>
  Float64Array.from({ length: SIDE }, (_value, x) => Math.cos((Math.PI * (2 * x + 1) * wave) / (2 * SIDE))),
);

/**
 * Computes a 64-bit perceptual hash: the signs of the low frequencies in a discrete cosine transform of the grey levels. White
 * margins do not dominate it, and it is stable under re-encoding, scaling and changes of brightness and colour.
 * @returns 16 hexadecimal digits, to be compared by `hashSimilarity`.
 * @throws ImageFailure for bytes that are not an image, for an image that is too large, and for a blank image.
 */
export async function perceptualHash(bytes: Buffer): Promise<string> {
  const grey = await decoded(bytes, (image) => image.greyscale().resize(SIDE, SIDE, { fit: 'fill' }).raw());
  const sorted = grey.toSorted();
  if ((sorted.at(-1) ?? 0) - (sorted[0] ?? 0) < BLANK_LEVELS) throw new ImageFailure('blank image');
  const waves = frequencies(grey);
  let hash = 0n;
  for (let down = 1; down <= WAVES; down += 1) {
    for (let across = 1; across <= WAVES; across += 1)
      hash = (hash << 1n) | (signAt(waves, down, across) ? 1n : 0n);
  }
  return hash.toString(16).padStart((WAVES * WAVES) / 4, '0');
}

/** In stripes and gradients, diagonal frequencies are noise, so the horizontal or else the vertical one gives the sign. */
function signAt(waves: number[][], down: number, across: number): boolean {
  const candidates = [waves[down]?.[across], waves[0]?.[across], waves[down]?.[0]];
  return (candidates.find((wave = 0) => Math.abs(wave) > NOISE_LEVELS) ?? 0) > 0;
}

/** The discrete cosine transform: the amplitude of each wave in grey levels, by its number of half periods down, then across. */
function frequencies(grey: Uint8Array): number[][] {
  const rows = Array.from({ length: SIDE }, (_row, y) => grey.subarray(y * SIDE, (y + 1) * SIDE));
  const across = COSINES.map((cosine) => rows.map((row) => product(row, cosine)));
  const scale = 4 / SIDE ** 2;
  return COSINES.map((cosine) => across.map((column) => scale * product(column, cosine)));
}

function product(values: ArrayLike<number>, cosine: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < SIDE; i += 1) sum += (values[i] ?? 0) * (cosine[i] ?? 0);
  return sum;
}

const PICTURE_SIDE = 400;

/** Makes a small WebP picture of an image, without its metadata. @throws ImageFailure as `perceptualHash` */
export const smallPicture = (bytes: Buffer): Promise<Buffer> =>
  decoded(bytes, (image) =>
    image
      .resize(PICTURE_SIDE, PICTURE_SIDE, { fit: 'inside', withoutEnlargement: true })
      .webp({ quality: 80 }),
  );

/** Decodes an untrusted image, in the right orientation on a white background, and processes it. */
async function decoded(bytes: Buffer, process: (image: Sharp) => Sharp): Promise<Buffer> {
  try {
    // The image library reports its own limit of pixels only by the text of an error.
    const { width, height } = await sharp(bytes, { limitInputPixels: false }).metadata();
    if (width * height > MAX_PIXELS) throw new ImageFailure('too many pixels');
    const image = sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'error' })
      .timeout({ seconds: DEADLINE_SECONDS })
      .autoOrient()
      .flatten({ background: 'white' });
    return await process(image).toBuffer();
  } catch (error) {
    throw error instanceof ImageFailure ? error : new ImageFailure('not an image', { cause: error });
  }
}
