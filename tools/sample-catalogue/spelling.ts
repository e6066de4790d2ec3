import { hyphenated, isCode, type ModelName } from './family.js';

/** How one shop spells model numbers, units and pack sizes in titles. */
export interface Spelling {
  /** The spelling of a model number: `AX-320M5`, `AX320M5` or `AX 320 M5`. */
  code: 'hyphen' | 'joined' | 'spaced';
  /** Whether a unit is separated by a space: `256 GB` instead of `256GB`. */
  spacedUnits: boolean;
  inches: '-inch' | ' inch' | ' Inch' | '"';
  /** The spelling of a pack: `500ml x 6`, `6 x 500ml` or `500ml (Pack of 6)`. */
  pack: 'behind' | 'before' | 'bracket';
}

export function spellModel({ pieces, suffix }: ModelName, { code }: Spelling): string {
  return [spellPieces(pieces, code), suffix].filter(Boolean).join(' ');
}

function spellPieces(pieces: readonly string[], code: Spelling['code']): string {
  if (!isCode(pieces)) return pieces.join(' ');
  if (code === 'hyphen') return hyphenated(pieces);
  return pieces.join(code === 'joined' ? '' : ' ');
}

const UNIT = /(\d)(GB|TB|MB\/s|Mbps|mAh|ml|mm|cm|kg|km\/h|gsm|kPa|Pa|Hz|MP|sqm|bar|g|L|W|m)(?![\w/])/g;

export function spellValue(value: string, { spacedUnits, inches, pack }: Spelling): string {
  return spellPack(value, pack)
    .replace('-inch', inches)
    .replace(UNIT, spacedUnits ? '$1 $2' : '$1$2')
    .replace(/(\d) (pcs)\b/g, spacedUnits ? '$1 $2' : '$1$2')
    .replace(/^US (\d+)/, spacedUnits ? 'US $1' : 'US$1');
}

/** Formats a pack size such as `500ml x 6`. Other values, such as `US 9`, are returned unchanged. */
function spellPack(value: string, pack: Spelling['pack']): string {
  const [, size, count] = /^(.+) x (\d+)$/.exec(value) ?? [];
  if (size === undefined || pack === 'behind') return value;
  return pack === 'before' ? `${count} x ${size}` : `${size} (Pack of ${count})`;
}
