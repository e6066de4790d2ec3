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

const [COLUMNS, ROWS] = [8, 8];
/** Levels of grey, of 256, between which a picture says nothing. */
const BLANK_LEVELS = 4;

/**
 * A 64-bit difference hash: the picture shrunk to 9 × 8 levels of grey, and for each pixel whether its right
 * neighbour is brighter. It survives re-encoding, scaling, and changes of brightness and colour.
 * @returns 16 hexadecimal digits.
 * @throws ImageFailure for bytes that are no picture, too large a picture, or one without anything to see.
 */
export async function perceptualHash(bytes: Buffer): Promise<string> {
  const grey = await shrink(bytes);
  if (Math.max(...grey) - Math.min(...grey) < BLANK_LEVELS) throw new ImageFailure('blank image');
  let hash = 0n;
  for (let row = 0; row < ROWS; row += 1) {
    for (let column = 0; column < COLUMNS; column += 1) {
      const left = row * (COLUMNS + 1) + column;
      hash = (hash << 1n) | ((grey[left + 1] ?? 0) > (grey[left] ?? 0) ? 1n : 0n);
    }
  }
  return hash.toString(16).padStart((COLUMNS * ROWS) / 4, '0');
}

/** 9 × 8 levels of grey, row by row, on white and the right way up. */
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
      .resize(COLUMNS + 1, ROWS, { fit: 'fill' })
      .raw()
      .toBuffer();
  } catch (error) {
    throw error instanceof ImageFailure ? error : new ImageFailure('not an image', { cause: error });
  }
}
