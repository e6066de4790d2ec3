import { foldProse } from '../../text/fold.js';

/**
 * The minimum length, in digits, of a number that may be part of a word in the listing, such as `9602`
 * in `HSL9602`.
 */
export const MIN_PART_LENGTH = 3;

const sizePattern = (units: string) => new RegExp(`(?<![\\d.])(\\d+(?:\\.\\d+)?)[\\s-]?(?:${units})`, 'g');
const INCH_UNITS = `(?<inches>"|''|inch|in\\b)`;
/** Matches a number of inches. */
export const INCHES = sizePattern(INCH_UNITS);
const SIZE = sizePattern(
  `${INCH_UNITS}|mm\\b|[gt]b\\b|(?<unit>[mg]?hz\\b|mt/s|mah\\b|dpi\\b|btu\\b|w\\b|watt)`,
);

/**
 * Whether a name contains the number with a unit that shoppers leave out: `43` for 43 inches, `360` for 360 mm, `128` for
 * 128 GB. Units such as MHz and watts may be left out only after numbers of three or more characters: `6000` for 6000 MHz.
 * Inches may be rounded: `15` for 15.6 inches.
 */
export const isSizeIn = (number: string, name: string, size = SIZE): boolean =>
  number.length > 1 &&
  [...foldProse(name).matchAll(size)].some(
    ({ 1: value = '', groups: { inches, unit } = {} }) =>
      (unit === undefined || number.length >= MIN_PART_LENGTH) &&
      (Number(value) === Number(number) ||
        (inches !== undefined && isRounded(Number(number), Number(value)))),
  );

/** Whether a size is another one in whole inches, rounded down as for laptops, or to the nearest inch as for monitors. */
export const isRounded = (whole: number, inches: number): boolean =>
  [Math.floor(inches), Math.round(inches)].some((rounded) => Math.abs(rounded - whole) < 1e-6);
