import { drawSample, mean } from '../../src/text/statistics.js';
import { mapLimited } from '../../scripts/shared/collections.js';
import { type EvaluationApi, type Listing } from './api.js';
import type { Findings } from './report.js';
import { bootstrap } from './statistics.js';

const DEPTH = 10;
const SEED = 7;
const WORST = 20;

/** A model number of a listing, and for each spelling of it whether the listing is among the first ten results. */
interface Looked {
  model: string;
  name: string;
  found: boolean[];
}

const SPELLINGS: [name: string, spell: (model: string) => string][] = [
  ['as written', (model) => model],
  ['as one word', (model) => words(model).replaceAll(' ', '').toLowerCase()],
  ['as words', words],
  [
    'letters and digits apart',
    (model) => words(model).replace(/(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/gu, ' '),
  ],
];

function words(model: string): string {
  return model.replace(/[^\p{L}\p{N}]+/gu, ' ').trim();
}

/** Searches a sample of listings by their model number in four spellings. */
export async function evaluateModel(
  api: EvaluationApi,
  { source, sample }: { source: string | undefined; sample: number },
): Promise<Findings> {
  const known = (await api.listings(source)).flatMap((listing) => {
    const model = modelOf(listing);
    return model === null ? [] : [{ listing, model }];
  });
  const looked = await mapLimited(
    drawSample(known, sample, SEED),
    4,
    async ({ listing, model }): Promise<Looked> => {
      const found: boolean[] = [];
      for (const [, spell] of SPELLINGS) found.push(await isFound(api, spell(model), listing));
      return { model, name: listing.name, found };
    },
  );
  const share = (spelling: number) => (cases: readonly Looked[]) =>
    mean(cases.map(({ found }) => Number(found[spelling])));
  const worst = looked
    .filter(({ found }) => found.includes(false))
    .map(({ model, name }) => `${model}  ${name}`);
  return {
    figures: [
      ...SPELLINGS.map(([name], spelling) =>
        bootstrap(`in the first ${DEPTH}, ${name}`, looked, share(spelling)),
      ),
      bootstrap(`in the first ${DEPTH}, worst spelling`, looked, (cases) =>
        Math.min(...SPELLINGS.map((_, i) => share(i)(cases))),
      ),
      bootstrap('in all four spellings', looked, (cases) =>
        mean(cases.map(({ found }) => Number(!found.includes(false)))),
      ),
    ],
    tables: [],
    worst: worst.slice(0, WORST),
  };
}

async function isFound(api: EvaluationApi, q: string, listing: Listing): Promise<boolean> {
  const page = await api.get<{ items: Listing[] }>(`/v1/search?q=${encodeURIComponent(q)}&limit=${DEPTH}`);
  return page?.items.some(({ id }) => id === listing.id) ?? false;
}

/** The model number of a listing if it is one word with letters and digits, as shoppers search for; otherwise null. */
function modelOf({ metadata }: Listing): string | null {
  if (typeof metadata !== 'object' || metadata === null || !('model' in metadata)) return null;
  const { model } = metadata;
  return typeof model === 'string' && /^(?=.*\p{L})(?=.*\d)\S{5,24}$/u.test(model) ? model : null;
}
