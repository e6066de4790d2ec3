import { isSameMaker } from '../makers.js';
import { capped, type Counts, type MakerEvidence, MIN_NAMES, type Opening } from './maker-evidence.js';

/** A word that no feed states as a brand is a maker only if at least this share of the names that contain it begin with it. */
export const MIN_BEGINNING_SHARE = 0.7;
/** A maker of one source alone is refused if less than this share of the other sources' names that contain it begin with it. */
const MIN_SHARE_ELSEWHERE = 0.2;
/**
 * A brand is also found inside names if, of the listings that state any brand and whose names contain this one near the
 * beginning, at least this share state this brand.
 */
const MIN_INSIDE_SHARE = 0.95;

/** The notation that most sources use, then most listings. If each has its own, the shortest, so that none can decorate it. */
export function mostFrequent(written: ReadonlyMap<string, Counts>): string {
  const [best] = [...written]
    .map(([notation, sources]) => ({ notation, sources: sources.size, listings: capped(sources.values()) }))
    .sort(
      (a, b) =>
        b.sources - a.sources ||
        (a.sources === 1 ? a.notation.length - b.notation.length : 0) ||
        b.listings - a.listings,
    );
  return best?.notation ?? '';
}

/** The sum of numbers of listings. */
export const total = (counts: Counts | undefined): number =>
  [...(counts?.values() ?? [])].reduce((sum, count) => sum + count, 0);

/** For each word that follows certain words, the number of names, to which each source contributes a limited number. */
export function followersOf({ followers, sources }: Opening): Counts {
  const numbers: Counts = new Map();
  for (const [word, counts] of followers)
    for (const [source, count] of counts) {
      const names = sources.get(source) ?? count;
      numbers.set(word, (numbers.get(word) ?? 0) + (count * capped([names])) / names);
    }
  return numbers;
}

/** The entry with the highest number; of several, the first. */
export const mostOf = (counts: Counts): [key: string, count: number] =>
  [...counts].reduce((best, one) => (one[1] > best[1] ? one : best), ['', 0]);

/** Reads from the evidence of a catalogue how its names use the words of a supposed maker. */
export class WordUses {
  constructor(private readonly evidence: MakerEvidence) {}

  /** Whether nearly all names that have a brand near their beginning, and state a brand, state this one. */
  isBrandInside(key: string): boolean {
    const { names, agreeing } = this.evidence.statedInside.get(key) ?? { names: 0, agreeing: 0 };
    return agreeing >= MIN_NAMES && agreeing / names >= MIN_INSIDE_SHARE;
  }

  /**
   * Counts the listings whose names begin with certain words by whether they state the given maker (`agreeing`) or another
   * (`others`). If several sources agree, the one with the most others is left out, so that no single source can refute a maker.
   */
  votes(opening: Opening, key: string): { agreeing: number; others: number } {
    let [agreeing, others] = [0, 0];
    const supporters = new Set<string>();
    const dissent: Counts = new Map();
    for (const [brand, sources] of opening.brands) {
      const keys = [...(this.evidence.brands.get(brand)?.keys ?? [])];
      if (keys.some((one) => isSameMaker(one, key))) {
        agreeing += capped(sources.values());
        for (const source of sources.keys()) supporters.add(source);
      } else
        for (const [source, count] of sources) {
          others += capped([count]);
          dissent.set(source, (dissent.get(source) ?? 0) + capped([count]));
        }
    }
    return { agreeing, others: supporters.size > 1 ? others - mostOf(dissent)[1] : others };
  }

  /** Whether names of other sources than the given one mostly use a supposed maker as an ordinary word. */
  isContradicted(key: string, source: string): boolean {
    const { begins, inside } = this.#uses(key, source);
    return inside >= MIN_NAMES && begins / (begins + inside) < MIN_SHARE_ELSEWHERE;
  }

  /** Whether names of other sources contain certain words without mostly beginning with them, so that they may be ordinary ones. */
  isUsedInside(key: string, source: string): boolean {
    const { begins, inside } = this.#uses(key, source);
    return inside > 0 && begins / (begins + inside) < MIN_BEGINNING_SHARE;
  }

  /** The share of the names that contain certain words, from 0 to 1, that begin with them. */
  beginningShare(key: string): number {
    const { begins, inside } = this.#uses(key);
    return begins / (begins + inside + 1);
  }

  /** Counts the names that begin with certain words and those that contain them elsewhere, capped by source. */
  #uses(key: string, except?: string): { begins: number; inside: number } {
    const { openings, inside: elsewhere } = this.evidence;
    const [starts, others] = [openings.get(key)?.sources, elsewhere.get(key)];
    let [begins, inside] = [0, 0];
    for (const source of new Set([...(starts?.keys() ?? []), ...(others?.keys() ?? [])])) {
      if (source === except) continue;
      const [ofStarts, ofOthers] = [starts?.get(source) ?? 0, others?.get(source) ?? 0];
      const weight = capped([ofStarts + ofOthers]) / (ofStarts + ofOthers);
      begins += weight * ofStarts;
      inside += weight * ofOthers;
    }
    return { begins, inside };
  }
}
