/** A processor, a graphics chip or a generation of memory. The suffix distinguishes chips with the same number. */
interface Chip {
  number: string;
  suffix: string;
}

type ChipType = 'processor' | 'graphics' | 'memory';

/** The chips of a name by type. A computer has one chip of each type. */
export type Chips = ReadonlyMap<ChipType, readonly Chip[]>;

/** Patterns of the model numbers of Intel, AMD and Nvidia chips, and of the generations of memory, in a folded name. */
const KINDS = [
  ['processor', /\bi([3579])[\s-]?(\d{4,5})([a-z]{0,2})(?![a-z\d])/g],
  ['processor', /\bryzen[\s-]?(?:tm )?([3579])[\s-]?(?:pro[\s-])?(\d{4})[\s-]?(x3d|[a-z]{0,2})(?![a-z\d])/g],
  [
    'graphics',
    /\b(rtx|gtx|rx)[\s-]?(\d{4}|[4-9]\d\d)[\s-]?(ti[\s-]super|super|ti|xtx|xt|gre|[sd](?![a-z]))?(?![a-z\d])/g,
  ],
  // The memory of a graphics card (GDDR) does not count, because a computer also has memory of another generation.
  ['memory', /(?<![a-z\d])(?:lp)?(ddr)([2-5])(?!\d)/g],
] as const;

/** Matches suffixes of laptop processors, such as "H" and "U". Shops omit them, because no two processors differ only in them. */
const OPTIONAL_SUFFIX = /^(?:h|u|p|y|hs|hx|hk|g\d?|e)$/;

/** Whether a name states a processor or a graphics chip. */
export const namesChip = (chips: Chips): boolean => chips.has('processor') || chips.has('graphics');

/** Finds the processors, graphics chips and generations of memory in a folded name. */
export function readChips(folded: string): Chips {
  const found = new Map<ChipType, Chip[]>();
  for (const [kind, pattern] of KINDS) {
    for (const [, line = '', number = '', suffix = ''] of folded.matchAll(pattern)) {
      const chips = found.get(kind) ?? [];
      chips.push({ number: `${line} ${number}`, suffix: suffix.replace('-', ' ') });
      found.set(kind, chips);
    }
  }
  return found;
}

/** Whether two names state different chips: an i7-14700F differs from an i7-14700K, and a board for DDR4 from one for DDR5. */
export const haveOtherChips = (a: Chips, b: Chips): boolean =>
  [...a].some(([kind, chips]) => {
    const others = b.get(kind) ?? [];
    return others.length > 0 && !chips.some((one) => others.some((other) => isSameChip(one, other)));
  });

const isSameChip = (one: Chip, other: Chip): boolean =>
  one.number === other.number &&
  (one.suffix === other.suffix || omitsSuffix(one, other) || omitsSuffix(other, one));

const omitsSuffix = (one: Chip, other: Chip): boolean =>
  one.suffix === '' && OPTIONAL_SUFFIX.test(other.suffix);
