import { sourcesFile } from './truth.js';
import { mapLimited, type EvaluationApi, type Listing } from './api.js';
import { listingKeyText, readCsv } from './judgements.js';
import { NOT_CARRIED } from './not-carried.js';
import type { Findings, Table } from './report.js';
import { bootstrap, mean, seededRandom } from './statistics.js';

const TITLES = 400;
const SEED = 11;
const WORST = 40;

interface Offer extends Listing {
  is_available: boolean | null;
}

/**
 * A query for the best price, and the offers that are correct answers. There are none if the catalogue does
 * not contain the product.
 */
interface Question {
  kind: 'brand model' | 'full title' | 'not carried';
  q: string;
  offers: Offer[];
}

type Outcome = 'cheapest' | 'dearer' | 'another product' | 'nothing';

interface BestPriceCase extends Question {
  outcome: Outcome;
  answer: string;
}

/**
 * Requests the best price of every model, of a sample of full titles, and of products that the catalogue
 * does not contain.
 */
export async function evaluateBestPriceTruth(api: EvaluationApi, file: string): Promise<Findings> {
  const asked = await mapLimited(await questionsOf(api, file), 4, (question) => ask(api, question));
  const of = (kind: Question['kind']) => asked.filter((one) => one.kind === kind);
  const share =
    (...outcomes: Outcome[]) =>
    (cases: readonly BestPriceCase[]) =>
      mean(cases.map(({ outcome }) => Number(outcomes.includes(outcome))));
  const figures = (['brand model', 'full title'] as const).flatMap((kind) => [
    bootstrap(`${kind}: right and cheapest`, of(kind), share('cheapest')),
    bootstrap(`${kind}: right`, of(kind), share('cheapest', 'dearer')),
  ]);
  const refused = bootstrap('not carried: 404', of('not carried'), share('nothing'));
  const wrong = asked.filter(({ kind, outcome }) =>
    kind === 'not carried' ? outcome !== 'nothing' : outcome !== 'cheapest',
  );
  return {
    figures: [...figures, refused],
    tables: [countsOf(asked)],
    worst: wrong
      .slice(0, WORST)
      .map(
        ({ kind, outcome, q, answer, offers }) =>
          `${kind}, ${outcome}  ${q}\n         ${answer}${outcome === 'dearer' ? `, not ${shown(best(offers))}` : ''}`,
      ),
  };
}

async function questionsOf(api: EvaluationApi, file: string): Promise<Question[]> {
  const rows = await readCsv(sourcesFile(file), ['a_source', 'a_sku', 'product', 'brand', 'model']);
  const known = new Map((await api.listings()).map((listing) => [listingKeyText(listing), listing as Offer]));
  const models = new Map<string, Offer[]>();
  const products = new Map<string, Offer[]>();
  for (const { a_source: source, a_sku: sku, product, brand, model } of rows) {
    const offer = known.get(listingKeyText({ source, sku }));
    if (offer === undefined || offer.price === null) continue;
    products.set(product, [...(products.get(product) ?? []), offer]);
    if (model === '') continue;
    const q = `${brand} ${model}`;
    models.set(q, [...(models.get(q) ?? []), offer]);
  }
  const random = seededRandom(SEED);
  const titles = [...products.values()]
    .flatMap((offers) => offers.map(({ name }) => ({ q: name, offers, at: random() })))
    .sort((a, b) => a.at - b.at)
    .slice(0, TITLES);
  return [
    ...[...models].map(([q, offers]) => ({ kind: 'brand model' as const, q, offers })),
    ...titles.map(({ q, offers }) => ({ kind: 'full title' as const, q, offers })),
    ...NOT_CARRIED.map((q) => ({ kind: 'not carried' as const, q, offers: [] })),
  ];
}

async function ask(api: EvaluationApi, question: Question): Promise<BestPriceCase> {
  const answer = await api.get<Offer>(`/v1/products/best-price?q=${encodeURIComponent(question.q)}`);
  if (answer === null) return { ...question, outcome: 'nothing', answer: '' };
  const { offers } = question;
  const isRight = offers.some(({ id }) => id === answer.id);
  const outcome = !isRight ? 'another product' : rank(answer) <= rank(best(offers)) ? 'cheapest' : 'dearer';
  return { ...question, outcome, answer: shown(answer) };
}

/**
 * The order of the best price: available offers come before unavailable ones, and then the cheaper one
 * wins. Prices are compared directly, because the catalogue has only one currency.
 */
const rank = ({ is_available, price }: Offer): number => (is_available === false ? 1e12 : 0) + Number(price);

const best = (offers: readonly Offer[]): Offer =>
  offers.reduce((least, offer) => (rank(offer) < rank(least) ? offer : least));

const shown = ({ name, price, is_available }: Offer): string =>
  `${name} (${price}${is_available === false ? ', sold out' : ''})`;

function countsOf(asked: readonly BestPriceCase[]): Table {
  const outcomes: Outcome[] = ['cheapest', 'dearer', 'another product', 'nothing'];
  const kinds = [...new Set(asked.map(({ kind }) => kind))];
  return {
    title: 'Answers',
    header: ['asked for by', 'asked', 'cheapest', 'not the cheapest', 'another product', '404'],
    rows: kinds.map((kind) => {
      const some = asked.filter((one) => one.kind === kind);
      return [
        kind,
        some.length,
        ...outcomes.map((what) => some.filter(({ outcome }) => outcome === what).length),
      ];
    }),
  };
}
