import type { Client } from '@elastic/elasticsearch';
import { MODEL, type Model, readModel } from '../matching/model.js';
import { type LearnedVersion, LearnedVersions } from './learned-versions.js';

/** The matching models that `npm run learn` made from this catalogue. If none of them is active, the shipped one is in use. */
export const matchingModels = (es: Client, indexPrefix: string): LearnedVersions =>
  new LearnedVersions(es, indexPrefix, 'models', 'matching model');

let parsed: { json: Buffer; model: Model } | null = null;

/**
 * Returns the model that a learned version contains; the shipped one if there is none, or if its features no longer exist. The
 * last model is memoized by its content, because the same version has other content after the index was lost and rebuilt.
 */
export function modelOf(learned: LearnedVersion | null): Model {
  if (learned === null) return MODEL;
  const json = Buffer.from(learned.json);
  if (parsed?.json.equals(json) !== true)
    parsed = { json, model: readModel(JSON.parse(json.toString())) ?? MODEL };
  return parsed.model;
}
