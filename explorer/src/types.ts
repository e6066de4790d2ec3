import type { Static } from 'typebox';
import type { ClaimSchema, Reference30dSchema } from '../../src/schemas/claim.js';
import type { ConsideredMatch, WhySchema } from '../../src/schemas/explain.js';
import type { ProductGroup } from '../../src/schemas/group.js';
import type { ListedProductSchema } from '../../src/schemas/include.js';
import type { PriceHistoryWithDeal } from '../../src/schemas/price-history.js';
import type {
  DecisionListSchema,
  DecisionResultsSchema,
  ReviewItemSchema,
  ReviewPageSchema,
} from '../../src/schemas/review.js';
import type { ReadingSchema } from '../../src/schemas/reading.js';
import type { AlertEventSchema, AlertSchema } from '../../src/schemas/alerts.js';
import type { DeliverySchema } from '../../src/schemas/delivery.js';
import type { UnitPriceSchema } from '../../src/schemas/unit-price.js';

// The types of the answers are those of the schemas that the service validates, so they cannot differ.

export type Product = Static<typeof ListedProductSchema>;
export type Alert = Static<typeof AlertSchema>;
export type AlertEvent = Static<typeof AlertEventSchema>;
export type Delivery = Static<typeof DeliverySchema>;
export type UnitPrice = Static<typeof UnitPriceSchema>;
export type Claim = Static<typeof ClaimSchema>;
export type PriceHistory = PriceHistoryWithDeal & {
  claim?: Claim;
  reference_30d?: Static<typeof Reference30dSchema> | null;
};
export type ReviewItem = Static<typeof ReviewItemSchema>;
export type ReviewPage = Static<typeof ReviewPageSchema>;
export type DecisionResults = Static<typeof DecisionResultsSchema>;
export type DecisionList = Static<typeof DecisionListSchema>;
export type Why = Static<typeof WhySchema>;
export type Reading = Static<typeof ReadingSchema>;
export type Group = ProductGroup;

export interface Page<Item> {
  total: number;
  total_groups?: number;
  limit: number;
  offset: number;
  has_more: boolean;
  items: Item[];
}

export type Offer = Product & {
  match_score: number;
  match_reasons: string[];
  price_converted: string | null;
  price_rank: number | null;
};

export interface Offers {
  group_id: number | null;
  basis: 'linked' | 'live';
  linked_at: string | null;
  name: string;
  brand: string | null;
  gtins: string[];
  models: string[];
  sources: number;
  price_range: { currency: string; min: string; max: string } | null;
  best_offer_id: number | null;
  total: number;
  offers: Offer[];
}

export interface Comparison {
  source_product_id: number;
  matches: (Product & { match_score: number; match_reasons: string[] })[];
  considered?: ConsideredMatch[];
}

/** The answer to several identifiers at once, as far as the explorer reads it. */
export interface LookupResults {
  results: { items: Product[] }[];
}

export type Deal = Product & {
  original_price: string;
  discount_pct: number;
  price_basis: 'observed' | 'declared';
  lowest_price_30d: string;
  claim?: Claim;
  group?: Group;
};

export type Freshness = Record<'day' | 'week' | 'month' | 'older' | 'never', number>;

export interface Sources {
  sources: {
    code: string;
    listings: number;
    last_load_at: string | null;
    freshness: Freshness;
    stale?: boolean | null;
    /** The last run of a source that is loaded by a source file. */
    last_run?: {
      at: string;
      outcome: string;
      records: number;
      rejected: number;
      reason: string | null;
    } | null;
    next_run_at?: string | null;
  }[];
  total: number;
}

export interface Quality {
  listings: number;
  score: number;
  completeness: Record<string, number>;
  freshness: Freshness;
  flags: Record<string, number>;
  claims?: { stated: number; supported: number; exaggerated: number; unsupported: number; unknown: number };
}

export interface QualityReport {
  all: Quality;
  sources: (Quality & { source: string })[];
}

export interface Categories {
  categories: {
    name: string;
    count: number;
    prices: { currency: string; min: string; median: string; max: string }[];
  }[];
  total: number;
}

export interface Suggestions {
  items: {
    type: string;
    text: string;
    matched: [number, number][];
    count: number;
    search: Record<string, string>;
  }[];
}
