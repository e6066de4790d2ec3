import sharp from 'sharp';
import { ImageFailure } from './failure.js';

/** Formats that shops use; every other decoder stays shut to strangers' bytes. */
const DECODERS = ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif', 'Svg'];
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: DECODERS.map((name) => `VipsForeignLoad${name}`) });
/** Every image is seen once: nothing to keep. */
sharp.cache(false);

/** A small file can claim a picture that fills the memory. */
const MAX_PIXELS = 40_000_000;
const DEADLINE_SECONDS = 5;

/** The picture is looked at in this many levels of grey by as many. */
const SIDE = 128;
/** The hash is made of the waves that go 1 to 8 half times across and down. */
const WAVES = 8;
/** A wave weaker than this many levels of grey, of 256, is what encoders add and take away. */
const NOISE_LEVELS = 0.4;
/** A picture whose levels of grey lie this close together says nothing. */
const BLANK_LEVELS = 4;

const COSINES = Array.from({ length: WAVES + 1 }, (_row, wave) =>
  Float64Array.from({ length: SIDE }, (_value, x) => Math.cos((Math.PI * (2 * x + 1) * wave) / (2 * SIDE))),
);

/**
 * A 64-bit perceptual hash: the signs of the picture's low frequencies (discrete cosine transform of its levels of
 * grey), so that white margins, which most product photos have, weigh no more than anything else. It survives
 * re-encoding, scaling and changes of brightness and colour.
 * @returns 16 hexadecimal digits, to be compared by `hashSimilarity`.
 * @throws ImageFailure for bytes that are no picture, too large a picture, or one without anything to see.
 */
export async function perceptualHash(bytes: Buffer): Promise<string> {
  const grey = await shrink(bytes);
  if (spanOf(grey) < BLANK_LEVELS) throw new ImageFailure('blank image');
  const waves = frequencies(grey);
  let hash = 0n;
  for (let down = 1; down <= WAVES; down += 1) {
    for (let across = 1; across <= WAVES; across += 1) {
      hash = (hash << 1n) | (signAt(waves, down, across) ? 1n : 0n);
    }
  }
  return hash.toString(16).padStart((WAVES * WAVES) / 4, '0');
}

/**
 * The sign of a wave. Stripes and plain gradients have waves in one direction alone: where there is none in both,
 * the sign is that of the wave across, else of the one down, or all such pictures would be alike.
 */
function signAt(waves: number[][], down: number, across: number): boolean {
  const candidates = [waves[down]?.[across], waves[0]?.[across], waves[down]?.[0]];
  return (candidates.find((wave = 0) => Math.abs(wave) > NOISE_LEVELS) ?? 0) > 0;
}

/** Amplitudes in levels of grey, by waves down and across; those at 0 do not change in that direction. */
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

function spanOf(grey: Uint8Array): number {
  const sorted = grey.toSorted();
  return (sorted.at(-1) ?? 0) - (sorted[0] ?? 0);
}

/** Levels of grey, row by row, on white and the right way up. */
async function shrink(bytes: Buffer): Promise<Uint8Array> {
  try {
    // The decoder's own limit tells itself by the text of its error alone.
    const { width, height } = await sharp(bytes, { limitInputPixels: false }).metadata();
    if (width * height > MAX_PIXELS) throw new ImageFailure('too many pixels');
    return await sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'error' })
      .timeout({ seconds: DEADLINE_SECONDS })
      .autoOrient()
      .flatten({ background: 'white' })
      .greyscale()
      .resize(SIDE, SIDE, { fit: 'fill' })
      .raw()
      .toBuffer();
  } catch (error) {
    throw error instanceof ImageFailure ? error : new ImageFailure('not an image', { cause: error });
  }
}
