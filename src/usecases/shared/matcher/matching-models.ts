import type { Client } from '@elastic/elasticsearch';
import { SERVICE } from '../../../engine/indices.js';
import { MODEL, type Model, readModel } from '../../../matching/model.js';
import { OperationError } from '../../../platform/operation-errors.js';

/** The matching models that `npm run learn` made from this catalogue, and which of them is active. */

/** The index of the learned matching models. It cannot be rebuilt if the catalogue has changed since. */
export const modelsIndex = (indexPrefix: string): string => `${indexPrefix}-models`;

/** A learned model as JSON, in a form that can be sent to a worker thread without parsing. */
export interface LearnedModel {
  version: number;
  json: Uint8Array;
}

/** What is known about a learned model, without its weights. */
export interface ModelRecord {
  version: number;
  learned_at: string;
  /** The numbers of products, listings and pairs that the model was learned from. */
  counts: Record<string, number>;
  /** The figures of the model that was active before, of this model, and of the change, each with its 95 % interval. */
  figures: Record<string, { value: number; low: number; high: number }>;
}

type StoredModel = ModelRecord & { model: string };

/** The version of the active model, and the versions that were active before, the latest last. Null: the shipped model. */
interface Activation {
  active: number | null;
  earlier: (number | null)[];
}

const ACTIVATION_ID = 'active';
const NEVER: Activation = { active: null, earlier: [] };
/** The maximum number of activations that can be rolled back. */
const MAX_EARLIER = 50;
const MAX_LISTED = 1_000;

const documentId = (version: number): string => `model-${version}`;

async function readActivation(es: Client, index: string): Promise<Activation> {
  const answer = await es.get<Activation>({ index, id: ACTIVATION_ID }, { ignore: [404] });
  return answer._source ?? NEVER;
}

/** Returns the active learned model, or null if the shipped model is active. */
export async function readActiveModel(es: Client, index: string): Promise<LearnedModel | null> {
  const { active } = await readActivation(es, index);
  return active === null ? null : readLearnedModel(es, index, active);
}

async function readLearnedModel(es: Client, index: string, version: number): Promise<LearnedModel> {
  const answer = await es.get<StoredModel>({ index, id: documentId(version) }, { ignore: [404] });
  if (answer._source === undefined) throw new OperationError(`There is no matching model ${version}.`);
  return { version, json: Buffer.from(answer._source.model) };
}

/** How long the active model is used before it is read again, in milliseconds. */
const REFRESH_MS = 10_000;

/**
 * Creates a function that returns the active learned model, or null for the shipped one. It notices within ten seconds that
 * another model was activated. If Elasticsearch does not answer, the last known model stays in use.
 */
export function activeModelReader(
  es: Client,
  index: string,
  clock = () => performance.now(),
): () => Promise<LearnedModel | null> {
  let current: Promise<LearnedModel | null> = Promise.resolve(null);
  let until = -Infinity;
  const refresh = async (known: LearnedModel | null): Promise<LearnedModel | null> => {
    try {
      const { active } = await readActivation(es, index);
      if (active === null) return null;
      return active === known?.version ? known : await readLearnedModel(es, index, active);
    } catch {
      return known;
    }
  };
  return () => {
    if (clock() >= until) {
      until = clock() + REFRESH_MS;
      current = current.then(refresh);
    }
    return current;
  };
}

let parsed: { version: number; model: Model } | null = null;

/**
 * Returns the model that a learned model contains. If there is none, or it was learned by an older version of the service
 * whose features no longer exist, returns the shipped model. The last parsed model is memoized.
 */
export function modelOf(learned: LearnedModel | null): Model {
  if (learned === null) return MODEL;
  if (parsed?.version !== learned.version)
    parsed = {
      version: learned.version,
      model: readModel(JSON.parse(Buffer.from(learned.json).toString())) ?? MODEL,
    };
  return parsed.model;
}

/** The learned models, the latest first, and the version of the active one, or null for the shipped model. */
export async function listModels(
  es: Client,
  index: string,
): Promise<{ active: number | null; models: ModelRecord[] }> {
  const { active } = await readActivation(es, index);
  const { hits } = await es.search<ModelRecord>({
    index,
    ignore_unavailable: true,
    query: { exists: { field: 'version' } },
    sort: [{ version: { order: 'desc', unmapped_type: 'long' } }],
    size: MAX_LISTED,
    _source_excludes: ['model'],
  });
  return { active, models: hits.hits.flatMap(({ _source }) => _source ?? []) };
}

/** Stores a learned model with the next version, and activates it. @returns the record of the model. */
export async function storeModel(
  es: Client,
  index: string,
  model: Model,
  record: Omit<ModelRecord, 'version'>,
): Promise<ModelRecord> {
  await es.indices.create(
    {
      index,
      settings: { number_of_shards: 1, auto_expand_replicas: '0-1', hidden: true },
      mappings: { dynamic: false, _meta: { service: SERVICE }, properties: { version: { type: 'long' } } },
    },
    // Status 400 means that the index exists already, which is the usual case.
    { ignore: [400] },
  );
  const { models } = await listModels(es, index);
  const stored: ModelRecord = { version: (models[0]?.version ?? 0) + 1, ...record };
  const document: StoredModel = { ...stored, model: JSON.stringify(model) };
  await es.create({ index, id: documentId(stored.version), document, refresh: true });
  await activate(es, index, stored.version);
  return stored;
}

/** Activates a learned model, or the shipped one. @throws OperationError if there is no such model. */
export async function activateModel(es: Client, index: string, version: number | null): Promise<void> {
  if (version !== null) await readLearnedModel(es, index, version);
  await activate(es, index, version);
}

async function activate(es: Client, index: string, version: number | null): Promise<void> {
  const { active, earlier } = await readActivation(es, index);
  if (active === version) return;
  await saveActivation(es, index, { active: version, earlier: [...earlier, active].slice(-MAX_EARLIER) });
}

/**
 * Activates the model that was active before the present one.
 * @returns its version, or null for the shipped model.
 * @throws OperationError if no other model was active before.
 */
export async function rollBackModel(es: Client, index: string): Promise<number | null> {
  const { earlier } = await readActivation(es, index);
  const version = earlier.at(-1);
  if (version === undefined) throw new OperationError('No other matching model was active before.');
  await saveActivation(es, index, { active: version, earlier: earlier.slice(0, -1) });
  return version;
}

const saveActivation = (es: Client, index: string, document: Activation) =>
  es.index({ index, id: ACTIVATION_ID, document, refresh: true });
