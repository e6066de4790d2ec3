import type { Client } from '@elastic/elasticsearch';
import type { Backoff } from '../engine/backoff.js';
import { schemaVersionOf } from '../engine/index-versions.js';
import type { Connections } from '../listing/connections.js';
import { GROUPS_SCHEMA } from '../listing/schema-versions.js';
import type { ExchangeRates } from '../listing/rates.js';
import { flagWritten } from '../usecases/quality/flag-listings.js';
import type { FollowUpStep } from '../sources/follow-up-queue.js';
import { recountValues } from '../usecases/suggest/recount-values.js';

export interface FollowUpContext {
  es: Client;
  indexPrefix: string;
  products: string;
  suggestions: string;
  rates: ExchangeRates;
  backoff: Backoff;
}

export interface FollowUpCounts {
  flags: number;
  suggestions: number;
}

/** For each step of the follow-up, the update for written listings only. The brand dictionary is learned in full passes only. */
const UPDATES: Record<
  FollowUpStep,
  (context: FollowUpContext, written: readonly Connections[]) => Promise<Partial<FollowUpCounts>>
> = {
  brands: () => Promise.resolve({}),
  async quality(context, written) {
    // An index of an earlier schema has no field for flags.
    if ((await schemaVersionOf(context.es, context.products)) < GROUPS_SCHEMA) return {};
    return { flags: await flagWritten(written, context) };
  },
  suggestions: async (context, written) => ({ suggestions: await recountValues(context, written) }),
};

/** Updates flags and suggestions that depend on written listings, a thousand at most, after a refresh of the product index. */
export async function followWritten(
  context: FollowUpContext,
  written: readonly Connections[],
  steps: readonly FollowUpStep[],
): Promise<FollowUpCounts> {
  const counts: FollowUpCounts = { flags: 0, suggestions: 0 };
  for (const step of steps) Object.assign(counts, await UPDATES[step](context, written));
  return counts;
}
