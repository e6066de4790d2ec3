import type { Client } from '@elastic/elasticsearch';
import type { InferredBrand } from '../listing/listing.js';
import { inferMaker, type Maker, type MakerDictionary, makerWords } from '../matching/makers.js';
import { OperationError } from '../platform/operation-errors.js';
import { foldBrand } from '../text/brand.js';
import { type LearnedVersion, LearnedVersions, refreshed } from './learned-versions.js';

/** The brand dictionaries that were learned from the catalogue. Without an active one, only the operator's entries count. */
export const brandVersions = (es: Client, indexPrefix: string): LearnedVersions =>
  new LearnedVersions(es, indexPrefix, 'brands', 'brand dictionary');

/** What the operator decided about the brand dictionary. The decisions apply to every learned version of it. */
export interface BrandSettings {
  /** The makers that the operator added, by the folded words with which names begin. */
  added: Record<string, string>;
  removed: string[];
  /** Whether filters and facets by brand include inferred brands. */
  in_filters: boolean;
  /** The number of listings of the catalogue when a dictionary was last learned; 0: never. */
  learned_from: number;
}

const NO_SETTINGS: BrandSettings = { added: {}, removed: [], in_filters: false, learned_from: 0 };
const SETTINGS_ID = 'settings';
const MAX_EDITS = 10_000;

/** The brand dictionary that is in use: the learned one, with the changes of the operator. */
export interface BrandDictionary {
  version: number | null;
  /** The key of the activation, which tells apart versions of the same number. */
  key?: string;
  settings: BrandSettings;
  makers: MakerDictionary;
}

const EMPTY: BrandDictionary = { version: null, settings: NO_SETTINGS, makers: new Map() };

export function withEdits(
  learned: MakerDictionary,
  { added, removed }: Pick<BrandSettings, 'added' | 'removed'>,
): MakerDictionary {
  const dropped = new Set(removed);
  const makers = new Map(
    [...learned].filter(([key, { name }]) => !dropped.has(key) && !dropped.has(keyOfMaker(name))),
  );
  for (const [key, name] of Object.entries(added))
    makers.set(key, { name, origin: 'added', confidence: 1, isSureInside: true, listings: 0 });
  return makers;
}

/** The folded words of a maker's name, under which the dictionary lists it. */
export const keyOfMaker = (name: string): string => makerWords(name).join(' ');

/** Infers the maker of a name without a brand, or finds the one that the operator added for it, and the brand of filters. */
export function makerReader(
  dictionary: BrandDictionary,
): (name: string, brand: string | null) => InferredBrand {
  const { makers, settings } = dictionary;
  const added = addedBrands(settings);
  return (name, stated) => {
    if (stated !== null) {
      const maker = added.get(foldBrand(stated)) ?? null;
      return { maker, brand: maker === null ? null : foldBrand(maker) };
    }
    const maker = inferMaker(name, makers)?.name ?? null;
    return { maker, brand: maker !== null && settings.in_filters ? foldBrand(maker) : null };
  };
}

/** The makers that the operator added, by the stated brands that they replace in filters. */
export const addedBrands = ({ added }: BrandSettings): Map<string, string> =>
  new Map(
    Object.entries(added)
      .map(([words, maker]) => [foldBrand(words), maker] as const)
      .filter(([brand, maker]) => brand !== foldBrand(maker)),
  );

export async function readBrands(es: Client, indexPrefix: string, known: BrandDictionary = EMPTY) {
  const versions = brandVersions(es, indexPrefix);
  const reading = [versions.activation(), readSettings(es, versions.index)] as const;
  const [{ key, version }, { settings }] = await Promise.all(reading);
  if (key === known.key && JSON.stringify(settings) === JSON.stringify(known.settings)) return known;
  const learned = version === null ? new Map<string, Maker>() : parse(await versions.read(version));
  return { version, key, settings, makers: withEdits(learned, settings) };
}

/** Creates a function that returns the dictionary in use, which is read again every ten seconds at most. */
export const brandsReader = (es: Client, indexPrefix: string): (() => Promise<BrandDictionary>) =>
  refreshed<BrandDictionary>(EMPTY, (known) => readBrands(es, indexPrefix, known));

const parse = ({ json }: LearnedVersion): MakerDictionary =>
  new Map(JSON.parse(Buffer.from(json).toString()) as [string, Maker][]);

/** Reads the operator's settings, and the condition under which a write replaces what was read. */
async function readSettings(es: Client, index: string) {
  const stored = await es.get<Partial<BrandSettings>>({ index, id: SETTINGS_ID }, { ignore: [404] });
  const settings: BrandSettings = { ...NO_SETTINGS, ...stored._source };
  const condition = stored.found
    ? { if_seq_no: stored._seq_no ?? 0, if_primary_term: stored._primary_term ?? 0 }
    : { op_type: 'create' as const };
  return { settings, condition };
}

/** Changes the operator's settings. @throws OperationError for too many entries, or if another command changed them meanwhile. */
export async function changeSettings(
  es: Client,
  indexPrefix: string,
  change: (settings: BrandSettings) => Partial<BrandSettings>,
): Promise<BrandSettings> {
  const versions = brandVersions(es, indexPrefix);
  await versions.ensureIndex();
  const { index } = versions;
  const { settings: before, condition } = await readSettings(es, index);
  const settings = { ...before, ...change(before) };
  if (Math.max(Object.keys(settings.added).length, settings.removed.length) > MAX_EDITS)
    throw new OperationError(`The brand dictionary takes at most ${MAX_EDITS} changes.`);
  const write = { index, id: SETTINGS_ID, document: settings, refresh: true, ...condition };
  if ('error' in (await es.index(write, { ignore: [409] })))
    throw new OperationError(
      'Another command changed the brand dictionary at the same time. Run this again.',
    );
  return settings;
}
