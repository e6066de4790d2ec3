import { drawSample, mean } from '../../src/text/statistics.js';
import { listingKey } from '../../src/listing/identify.js';
import { CommandError } from '../../scripts/shared/exit.js';
import { type EvaluationApi, type Listing } from './api.js';
import { countsOf, type JudgedPair, judgedProducts } from './judgements.js';
import { learnMakers } from '../../src/matching/learning/learn-makers.js';
import { inferMaker, isSameMaker, makerWords } from '../../src/matching/makers.js';
import type { ListingKey } from '../../src/schemas/decisions.js';
import { partitionFigures } from './partitions.js';
import type { Findings } from './report.js';
import { bootstrap, retrievalFigures } from './statistics.js';
import { describeOffer } from './answers.js';
import { groupBy, mapLimited } from '../../scripts/shared/collections.js';
import { foldName } from './names.js';

const PAGE = 100;
const WORST = 20;
const SEED = 30;

interface GroupOffers {
  group_id: number;
  basis: string;
  offers: Listing[];
  has_more: boolean;
}

/** Compares groups of `npm run link` with true products, or labelled pairs. @throws CommandError if a listing is not linked. */
export async function evaluateGroups(
  api: EvaluationApi,
  { gold, sources }: { gold: readonly JudgedPair[]; sources: readonly ListingKey[] | null },
): Promise<Findings> {
  const listings = new Map((await api.listings()).map((listing) => [listingKey(listing), listing]));
  const judged = new Set([...gold.flatMap(({ a, b }) => [a, b]), ...(sources ?? [])].map(listingKey));
  const known = [...judged].flatMap((key) => listings.get(key) ?? []);
  const groups = await groupsOf(api, known);
  const idOf = (key: ListingKey) => listings.get(listingKey(key))?.id;
  const pairs = gold.flatMap(({ a, b, same }) => {
    const [one, other] = [idOf(a), idOf(b)];
    return one === undefined || other === undefined ? [] : [{ a: one, b: other, same }];
  });
  const missing = judged.size - known.length;
  const tables = [
    {
      title: 'Judged listings',
      header: ['judged', 'in the catalogue', 'groups'],
      rows: [[judged.size, judged.size - missing, new Set(groups.values()).size]],
    },
  ];
  const isOne = ({ a, b }: { a: number; b: number }) => groups.get(a) === groups.get(b);
  const nameOf = new Map(known.map(({ id, name, source }) => [id, `${name} (${source})`]));
  const pairText = (what: string, { a, b }: { a: number; b: number }) =>
    `${what}  ${nameOf.get(a)}\n          ${nameOf.get(b)}`;
  const worst = pairs
    .filter((pair) => pair.same !== isOne(pair))
    .slice(0, WORST)
    .map((pair) => pairText(pair.same ? 'apart   ' : 'together', pair));
  if (pairs.some(({ same }) => !same)) {
    const counts = pairs.map((pair) => [`${pair.a} ${pair.b}`, countsOf(pair, isOne(pair))] as const);
    const figures = retrievalFigures(new Map(counts), (figure) => `pairwise ${figure}, labelled pairs`);
    return { figures, tables, worst };
  }
  const productOf = judgedProducts(gold, known);
  const truth = new Map(known.map((listing) => [listing.id, productOf(listing)]));
  return { figures: partitionFigures(groups, truth), tables, worst };
}

/** Examines all groups without judgements: how many mix makers, and `draw` random ones with different names for a person to read. */
export async function evaluateGroupMakers(api: EvaluationApi, draw: number): Promise<Findings> {
  const listings = await api.listings();
  const groupOf = await groupsOf(api, listings);
  const makerOf = readMakers(listings);
  const groups = [...groupBy(listings, ({ id }) => groupOf.get(id)).values()].filter(
    ({ length }) => length > 1,
  );
  const isMixed = (group: readonly Listing[]) => mixesMakers(group, makerOf);
  const differing = groups.filter((group) => new Set(group.map(({ name }) => foldName(name))).size > 1);
  const groupText = (title: string) => (group: readonly Listing[]) =>
    [title, ...group.slice(0, WORST).map((listing) => `    ${describeOffer(listing)}`)].join('\n');
  const mixed = groups.filter(isMixed);
  const counts = {
    groups: groups.length,
    'whose names differ': differing.length,
    'that mix makers': mixed.length,
    'listings with a maker': listings.filter((listing) => makerOf(listing) !== null).length,
  };
  return {
    figures: [
      bootstrap('groups that mix makers', groups, (cases) => mean(cases.map((one) => Number(isMixed(one))))),
    ],
    tables: [
      { title: 'Groups of two or more listings', header: Object.keys(counts), rows: [Object.values(counts)] },
    ],
    worst: [
      ...mixed.slice(0, WORST).map(groupText('mixes makers')),
      ...drawSample(differing, draw, SEED).map(groupText('drawn')),
    ],
  };
}

/** Reads the stated brand, or the one that all brands and names show: not the one that the service inferred, which is judged here. */
function readMakers(listings: readonly Listing[]): (listing: Listing) => string | null {
  const dictionary = learnMakers(listings);
  return ({ brand, name }) => {
    const maker = brand ?? inferMaker(name, dictionary)?.name;
    return maker === undefined ? null : makerWords(maker).join(' ');
  };
}

/** Whether listings have different makers, none of which all of them name: "HP Toner" and "Toner for HP" do not. */
function mixesMakers(listings: readonly Listing[], makerOf: (listing: Listing) => string | null): boolean {
  const made = listings.flatMap((listing) => {
    const maker = makerOf(listing);
    return maker === null ? [] : [{ maker, name: ` ${makerWords(listing.name).join(' ')} ` }];
  });
  const isOfAll = (maker: string) =>
    made.every((one) => isSameMaker(one.maker, maker) || one.name.includes(` ${maker} `));
  return made.length > 0 && !made.some(({ maker }) => isOfAll(maker));
}

/** Returns the group of each listing that `npm run link` formed, by the id of the listing. */
async function groupsOf(api: EvaluationApi, listings: readonly Listing[]): Promise<Map<number, number>> {
  const groups = new Map<number, number>();
  const live: Listing[] = [];
  await mapLimited(listings, 4, async (listing) => {
    if (groups.has(listing.id)) return;
    for (let offset = 0; ; offset += PAGE) {
      const path = `/v1/products/${listing.id}/offers?limit=${PAGE}&offset=${offset}`;
      const page = await api.get<GroupOffers>(path);
      if (page === null) return;
      if (page.basis !== 'linked') {
        live.push(listing);
        return;
      }
      groups.set(listing.id, page.group_id);
      for (const { id } of page.offers) groups.set(id, page.group_id);
      if (!page.has_more) return;
    }
  });
  const [first] = live;
  if (first === undefined) return groups;
  throw new CommandError(
    `${live.length} of the listings are not linked, such as ${first.source} ${first.sku}: npm run link first`,
  );
}
