import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { Parser } from '@json2csv/plainjs';
import { groupBy, median } from '../../scripts/shared/collections.js';
import { CommandError } from '../../scripts/shared/exit.js';
import { fromCaller } from '../../scripts/shared/terminal.js';
import { drawSample } from '../../src/text/statistics.js';
import type { EvaluationApi, Listing } from './api.js';
import { judgedProducts, readPairs } from './judgements.js';
import { foldName, headOf, isSpecific, joinSizes, PLUS_SIGN, wordsOf } from './names.js';

const SEED = 46;
const COLUMNS = ['task', 'family', 'text', 'phrases', 'answer'];

/** Writes the open and the held-back tasks. @returns totals only, so that nobody reads a task that is held back. */
export async function writeTasks(
  api: EvaluationApi,
  files: { out: string; heldBack: string },
  { sources, gold, sample }: { sources: readonly string[]; gold: string | undefined; sample: number },
): Promise<string> {
  const all = await api.listings();
  const listings = sources.length === 0 ? all : all.filter(({ source }) => sources.includes(source));
  const productOf =
    gold === undefined
      ? ({ name }: { name: string }) => foldName(name)
      : judgedProducts(await readPairs(gold), listings);
  const tasks = makeTasks(listings, productOf, gold !== undefined);
  const [open, heldBack] = [false, true].map((isHeldBack) =>
    drawSample(
      tasks.filter((task) => task.isHeldBack === isHeldBack),
      sample,
      SEED,
    ),
  ) as [MadeTask[], MadeTask[]];
  await writeCsv(files.out, open);
  await writeCsv(files.heldBack, heldBack);
  const totals = (some: readonly MadeTask[]) =>
    (['specific', 'cheapest'] as const)
      .map((family) => `${some.filter((task) => task.family === family).length} ${family}`)
      .join(', ');
  return (
    `${files.out}: ${open.length} tasks (${totals(open)})\n` +
    `${files.heldBack}: ${heldBack.length} tasks (${totals(heldBack)}), held back\n`
  );
}

async function writeCsv(file: string, tasks: readonly MadeTask[]): Promise<void> {
  const text = new Parser({ fields: COLUMNS }).parse(tasks);
  await writeFile(fromCaller(file), `${text}\n`).catch((error: unknown) => {
    throw new CommandError(`cannot write ${file}: ${(error as Error).message}`);
  });
}

/** A shopping task that was made by rule from listings whose products are known. */
interface MadeTask {
  task: string;
  family: 'specific' | 'cheapest';
  text: string;
  phrases: string;
  /** The correct offers as `source:sku`, separated by blanks. */
  answer: string;
  isHeldBack: boolean;
}

/** Tasks are made only for products with at most this number of offers, because a best price returns at most 20. */
const MAX_OFFERS = 15;
/** A wording is ambiguous if another product's name has this share of its words, all with a digit among them. */
const AMBIGUOUS_SHARE = 0.8;
/** No task asks for an offer cheaper than this share of the median price, because it may be flagged as suspicious. */
const MIN_OF_MEDIAN = 0.5;

const MARKETING =
  /(?<![\p{L}\p{N}])(?:brand new|new|genuine|original|official|authentic|sale|free (?:shipping|delivery)|retail|boxed|sim[- ]free|unlocked|preowned|exclusive to amazon)(?![\p{L}\p{N}])/giu;

/** Makes tasks that fit one product, and holds half back. Unjudged (`isJudged`) names that nearly fit may be the same product. */
function makeTasks(
  listings: readonly Listing[],
  productOf: (listing: Listing) => unknown,
  isJudged: boolean,
): MadeTask[] {
  const index = indexWords(listings);
  const minShare = isJudged ? 1 : AMBIGUOUS_SHARE;
  const products = [...groupBy(listings, productOf).values()].filter((group) => {
    const offers = group.filter(({ price }) => price !== null).length;
    return group.length > 1 && offers > 0 && offers <= MAX_OFFERS;
  });
  return products.flatMap((group) => {
    const offers = group.filter(({ price }) => price !== null);
    const id = offers.map(keyOf).sort().join(' ');
    const chance = chancesOf(id);
    const fits = (wording: string) => index.fits(wording, new Set(group), minShare);
    const wordings = [shortestHead(group), sharedWords(group)].map((wording) =>
      exchangeNotation(wording, chance.exchange),
    );
    if (chance.swap) wordings.reverse();
    const [specific = '', cheapest = ''] = wordings.map((wording) =>
      isSpecific(wording) && !fits(wording) ? wording : '',
    );
    const task = (family: MadeTask['family'], wording: string, answer: readonly Listing[]): MadeTask => ({
      task: `${family}_${chance.name}`,
      family,
      text:
        family === 'specific' ? `Find all offers for ${wording}.` : `Find the cheapest offer for ${wording}.`,
      phrases: wording,
      answer: answer.map(keyOf).join(' '),
      isHeldBack: chance.isHeldBack,
    });
    const best = cheapestOf(offers);
    return [
      ...(specific === '' ? [] : [task('specific', specific, offers)]),
      ...(cheapest === '' || best.length === 0 ? [] : [task('cheapest', cheapest, best)]),
    ];
  });
}

const keyOf = ({ source, sku }: Listing): string => `${source}:${sku}`;

/** Derives all choices for a product from a hash, so that they do not depend on the other products. */
function chancesOf(id: string): { isHeldBack: boolean; swap: boolean; exchange: boolean; name: string } {
  const hash = createHash('sha256').update(id).digest();
  const bit = (at: number) => ((hash[at] ?? 0) & 1) === 1;
  return { isHeldBack: bit(0), swap: bit(1), exchange: bit(2), name: hash.toString('hex', 3, 8) };
}

/** Returns the offers with the lowest price; none if the prices cannot be compared or the lowest is suspicious. */
function cheapestOf(offers: readonly Listing[]): Listing[] {
  if (new Set(offers.map(({ currency }) => currency)).size > 1) return [];
  const available = offers.filter(({ is_available }) => is_available !== false);
  const prices = available.map(({ price }) => Number(price));
  const lowest = Math.min(...prices);
  if (lowest < MIN_OF_MEDIAN * median(prices)) return [];
  return available.filter(({ price }) => Number(price) === lowest);
}

/** Returns the shortest name of a product without its specification tail and words of marketing. */
function shortestHead(group: readonly Listing[]): string {
  const heads = group
    .map(({ name }) => headOf(name.replace(MARKETING, ' ')))
    .filter(isSpecific)
    .sort((a, b) => wordsOf(a).length - wordsOf(b).length || (a < b ? -1 : 1));
  return heads[0] ?? '';
}

/** The shortest head in lower case, without words that another name lacks; empty if its first word, mostly the maker, is one. */
function sharedWords(group: readonly Listing[]): string {
  const contents = group.map(({ name }) => new Set(wordsOf(name)));
  const isShared = (part: string) =>
    wordsOf(part).every((word) => contents.every((words) => words.has(word)));
  const parts = joinSizes(shortestHead(group).toLowerCase()).split(' ');
  return isShared(parts[0] ?? '') ? parts.filter(isShared).join(' ') : '';
}

/** Changes the notation, as in "S24 Plus" for "S24+" and "2 TB" for "2TB", so that a task does not always use that of the listings. */
function exchangeNotation(wording: string, exchange: boolean): string {
  if (!exchange) return wording;
  const spelledOut = wording.replace(PLUS_SIGN, ' Plus');
  const plus = spelledOut === wording ? wording.replace(/ plus\b/gi, '+') : spelledOut;
  const mark = plus.replace(/\bmark (?=(?:ii|iii|iv|v|vi)\b)/gi, '');
  return /\d [tgm]b\b/i.test(mark)
    ? mark.replace(/(\d) (?=[tgm]b\b)/gi, '$1')
    : mark.replace(/(\d)(?=[tgm]b\b)/gi, '$1 ');
}

/** Indexes the names of listings by word, and finds names that fit a wording. */
function indexWords(listings: readonly Listing[]) {
  const contents = new Map(listings.map((listing) => [listing, new Set(wordsOf(listing.name))]));
  const byWord = groupBy(
    [...contents].flatMap(([listing, words]) => [...words].map((word) => ({ word, listing }))),
    ({ word }) => word,
  );
  return {
    /** Returns whether the name of a listing outside the product contains at least this share of the words. */
    fits(wording: string, product: ReadonlySet<Listing>, minShare: number): boolean {
      const words = [...new Set(foldName(wording).split(' '))];
      const numbers = words.filter((word) => /\d/.test(word));
      const needed = Math.ceil(minShare * words.length);
      const candidates = new Set(
        words.flatMap((word) => (byWord.get(word) ?? []).map(({ listing }) => listing)),
      );
      return [...candidates].some((listing) => {
        const content = contents.get(listing);
        if (content === undefined || product.has(listing)) return false;
        return (
          numbers.every((word) => content.has(word)) &&
          words.filter((word) => content.has(word)).length >= needed
        );
      });
    },
  };
}
