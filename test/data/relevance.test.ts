import { createReadStream, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { assert } from 'chai';
import { parse } from 'csv-parse/sync';
import { type Catalogue, openCatalogue } from '../relevance/catalogue.js';

const data = new URL('../../../shared/data/', import.meta.url);

/** The rating of listings by SKU, from 0 to 3. */
type Ratings = ReadonlyMap<string, number>;

function judgements(): Map<string, Ratings> {
  const rows = parse(readFileSync(new URL('icecat_judgements.csv', data)), { columns: true }) as {
    query: string;
    sku: string;
    rating: string;
  }[];
  const queries = new Map<string, Map<string, number>>();
  for (const { query, sku, rating } of rows) {
    queries.set(query, (queries.get(query) ?? new Map<string, number>()).set(sku, Number(rating)));
  }
  return new Map([...queries].filter(([, ratings]) => [...ratings.values()].some((rating) => rating > 0)));
}

const gain = (ratings: number[]): number =>
  ratings.slice(0, 10).reduce((sum, rating, i) => sum + rating / Math.log2(i + 2), 0);

/**
 * Computes the NDCG of search results. The gain is the rating, listings without a rating count as 0, and the
 * ideal order is that of all rated listings.
 */
function ndcg(skus: string[], ratings: Ratings): number {
  const ideal = gain([...ratings.values()].sort((a, b) => b - a));
  return gain(skus.map((sku) => ratings.get(sku) ?? 0)) / ideal;
}

const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Returns models that consist of one word with letters and digits, evenly distributed over the file. */
function models(count: number): { sku: string; model: string; brand: string }[] {
  const lines = gunzipSync(readFileSync(new URL('icecat.ndjson.gz', data)))
    .toString('utf8')
    .trim()
    .split('\n');
  const known = lines
    .map((line) => JSON.parse(line) as { sku: string; brand?: string; metadata: { model: string } })
    .map(({ sku, brand = '', metadata: { model } }) => ({ sku, brand, model }))
    .filter(({ model }) => /^(?=.*\p{L})(?=.*\d)\S{5,24}$/u.test(model));
  return known.filter((_, i) => i % Math.floor(known.length / count) === 0);
}

/**
 * Returns the spellings of a model: as written, as one word, as several words, and with a space between
 * letters and digits.
 */
function spellings(model: string): string[] {
  const words = model.replace(/[^\p{L}\p{N}]+/gu, ' ').trim();
  const borders = /(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/gu;
  return [model, words.replaceAll(' ', '').toLowerCase(), words, words.replace(borders, ' ')];
}

/**
 * Returns a word with a typo of one letter: the letter is left out, doubled, swapped with the next one, or
 * replaced. A word always has the same typo.
 */
function misspell(word: string, kind: number): string {
  const at = 1 + (word.length % (word.length - 2));
  const letter = word.charAt(at);
  const wrong =
    ['', letter + letter, word.charAt(at + 1) + letter, letter === 'x' ? 'q' : 'x'][kind % 4] ?? '';
  return word.slice(0, at) + wrong + word.slice(at + (kind % 4 === 2 ? 2 : 1));
}

describe('Relevance on icecat: 19,406 listings, judged by people', function () {
  this.timeout(300_000);
  let catalogue: Catalogue;
  before(async () => {
    catalogue = await openCatalogue(createReadStream(new URL('icecat.ndjson.gz', data)));
  });
  after(() => catalogue.remove());

  /**
   * The bounds are slightly below the measured figures: NDCG 0.817, condensed NDCG 0.906, and 0.813 for
   * misspelled queries.
   */
  it('puts what people call relevant first', async () => {
    const figures: { asFound: number; condensed: number; misspelt: number }[] = [];
    let kind = 0;
    for (const [query, ratings] of judgements()) {
      const { skus } = await catalogue.search(query, 60);
      const typo = query.replace(/\p{L}{5,}/u, (word) => misspell(word, kind++));
      figures.push({
        asFound: ndcg(skus, ratings),
        condensed: ndcg(
          skus.filter((sku) => ratings.has(sku)),
          ratings,
        ),
        misspelt: ndcg((await catalogue.search(typo)).skus, ratings),
      });
    }
    const [asFound, condensed, misspelt] = (['asFound', 'condensed', 'misspelt'] as const).map((name) =>
      mean(figures.map((figure) => figure[name])),
    );
    console.log(
      `      NDCG@10 ${asFound?.toFixed(3)}, condensed ${condensed?.toFixed(3)}, misspelt ${misspelt?.toFixed(3)}`,
    );
    assert.isAbove(asFound ?? 0, 0.81);
    assert.isAbove(condensed ?? 0, 0.89);
    assert.isAbove(misspelt ?? 0, 0.8);
  });

  for (const withBrand of [false, true]) {
    it(`finds a model in the worst of four spellings${withBrand ? ', beside its brand' : ''}`, async () => {
      const sought = models(300);
      const found = [0, 0, 0, 0];
      for (const { sku, model, brand } of sought) {
        for (const [i, spelling] of spellings(model).entries()) {
          const { skus } = await catalogue.search(withBrand ? `${brand} ${spelling}` : spelling);
          if (skus.includes(sku)) found[i] = (found[i] ?? 0) + 1;
        }
      }
      const worst = Math.min(...found) / sought.length;
      console.log(`      worst spelling ${worst.toFixed(3)}`);
      assert.isAbove(worst, 0.98);
    });
  }
});
