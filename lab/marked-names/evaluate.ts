import { decimal } from '../evaluation/report.js';
import { CommandError } from '../../scripts/shared/exit.js';
import { type NameContext, proposalsFor, readName, shippedWeights } from '../../src/naming/read-name.js';
import { SCOPE_COUNT, type Weights } from '../../src/naming/weights.js';
import { learnCatalogue, readSets, type SetListing, statedBy, withReadings } from './catalogue.js';
import { type Example, fitWeights } from './fit.js';
import { type MarkedName, nameKey, roleOf, ROLES, SCOPES, type Span, wordLabels } from './marks.js';
import { readTokens } from '../../src/naming/tokens.js';

/** Two readers who mark the same names agree in this share of words: in the role, and in role and scope. */
const AGREEMENT = { role: 0.964, 'role and scope': 0.957 };

interface Row {
  right: number;
  all: number;
}

const roles = (labels: readonly string[]): string => [...new Set(labels.map(roleOf))].join();

/** Counts the words of a name that are read as they are marked: by role, and all with their scopes. */
function countWords(
  name: string,
  spans: readonly Span[],
  context: NameContext,
  rows: Map<string, Row>,
  weights: Weights,
): void {
  const read = readName(name, context, weights).spans;
  const found = wordLabels(
    name,
    read.map(({ from, to, role, scope }): Span => [from, to, role, scope]),
  );
  wordLabels(name, spans).forEach((labels, at) => {
    const other = found[at] ?? [];
    const right = roles(labels) === roles(other);
    count('role', right);
    if (roles(labels) !== 'noise') count('role, without noise', right);
    count('role and scope', labels.join() === other.join());
    for (const role of new Set(labels.map(roleOf))) count(role, right);
  });
  function count(row: string, isRight: boolean): void {
    const known = rows.get(row) ?? { right: 0, all: 0 };
    rows.set(row, { right: known.right + (isRight ? 1 : 0), all: known.all + 1 });
  }
}

/** What the measurements of marked names read: the listings of the data sets, and which of them have a mark. */
function readMarked(folder: string, marks: readonly MarkedName[]) {
  const listings = readSets(folder);
  const byKey = new Map(listings.map((listing) => [nameKey(listing), listing]));
  const marked = new Set(marks.map(nameKey));
  const learned = learnCatalogue(listings);
  return {
    learned,
    /** The words of the catalogue with how they are read in the names that are not marked. */
    catalogueOf: (weights: Weights) => withReadings(learned, listings, marked, weights),
    listingOf(mark: MarkedName): SetListing {
      const listing = byKey.get(nameKey(mark));
      if (listing === undefined)
        throw new CommandError(`There is no listing ${nameKey(mark)} in the data sets`);
      return listing;
    },
  };
}

/** Rows with the shares of words read right, in all and by role. Only these totals of the kept names are ever shown. */
export function evaluateMarks(
  folder: string,
  marks: readonly MarkedName[],
  weights = shippedWeights(),
): string[][] {
  const { catalogueOf, listingOf } = readMarked(folder, marks);
  const catalogue = catalogueOf(weights);
  const [open, kept] = [marks.filter((one) => !one.kept), marks.filter((one) => one.kept)];
  const measured = [
    [open, true],
    [kept, true],
    [kept, false],
  ] as const;
  const columns = measured.map(([some, isKnown]) => {
    const rows = new Map<string, Row>();
    for (const one of some) {
      const listing = listingOf(one);
      const context = isKnown ? { catalogue, stated: statedBy(listing) } : {};
      countWords(listing.name, one.spans, context, rows, weights);
    }
    return rows;
  });
  const share = (row: string, rows: ReadonlyMap<string, Row>) => {
    const { right, all } = rows.get(row) ?? { right: 0, all: 0 };
    return all === 0 ? ['', '0'] : [decimal(right / all), String(all)];
  };
  return [
    ['', 'open', 'words', 'kept', 'words', 'kept, name only', 'words', 'two readers'],
    ...['role', 'role, without noise', 'role and scope', ...ROLES].map((row) => [
      row,
      ...columns.flatMap((rows) => share(row, rows)),
      String(AGREEMENT[row as keyof typeof AGREEMENT] ?? ''),
    ]),
  ];
}

/** Fits weights on marked names that are not kept: each with what the catalogue and the feed know, and by its words alone. */
export function fitToMarks(folder: string, marks: readonly MarkedName[]): Weights {
  const { catalogueOf, learned, listingOf } = readMarked(folder, marks);
  const open = marks.filter(({ kept }) => !kept);
  const fit = (catalogue: NonNullable<NameContext['catalogue']>) =>
    fitWeights(open.flatMap((one) => examplesOf(listingOf(one), one, catalogue)));
  return fit(catalogueOf(fit(learned)));
}

function examplesOf(
  listing: SetListing,
  { spans }: MarkedName,
  catalogue: NonNullable<NameContext['catalogue']>,
): Example[] {
  const tokens = readTokens(listing.name);
  const labels = tokens.text.map((_, at) => {
    const [from = 0, to = 0] = [tokens.from[at], tokens.to[at]];
    const span = spans.find(([start, end]) => start < to && end > from);
    return ROLES.indexOf(span?.[2] ?? 'noise') * SCOPE_COUNT + SCOPES.indexOf(span?.[3] ?? 'item');
  });
  return [{ catalogue, stated: statedBy(listing) }, {}].map((context) => ({
    tokens,
    labels,
    proposals: proposalsFor(tokens, context),
  }));
}
