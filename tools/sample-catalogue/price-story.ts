import type { Random } from './random.js';

/**
 * The kinds of price history in the sample catalogue, and the share of listings that have each kind. Tests
 * count these shares.
 *
 * - `steady`: one price, sometimes with a short promotion or a small change; never a deal today.
 * - `drifting`: many small increases or decreases; today's price is less than 10 % below the usual price.
 * - `reduced`: a real deal: for the last days, the price is 10 % or more below that of the weeks before.
 * - `raised_before_sale`: a false deal: the price was raised for a day or two, then reduced to the usual one.
 * - `inflated_list_price`: a false deal: the list price is far above any price that the listing ever had.
 * - `new_declared`: less than a week old, with a list price 10 % or more above the price: a declared deal.
 * - `new`: less than a week old, without a list price.
 */
export const STORY_SHARES = {
  reduced: 0.12,
  raised_before_sale: 0.05,
  inflated_list_price: 0.06,
  new_declared: 0.03,
  new: 0.03,
  drifting: 0.2,
  steady: 0.51,
} as const;

export type StoryKind = keyof typeof STORY_SHARES;

export interface PricePoint {
  cents: number;
  /** The time from which the price applied, in days before the listing was last checked. */
  daysAgo: number;
}

const OLDEST_DAYS = 118.9;

/** A price history. `usual` is in cents; `ending` is the last two digits of the shop's prices, in cents. */
export function priceStory(usual: number, ending: number, random: Random) {
  const kind = drawKind(random);
  const held = shopPrice(usual, ending);
  const near = (factor: number) => shopPrice(held * factor, ending);
  const { changes, listCents = null } = STORIES[kind]({ held, near, random });
  return { kind, points: withConfirmations(changes, random), listCents };
}

function drawKind(random: Random): StoryKind {
  let left = random.unit();
  for (const [kind, share] of Object.entries(STORY_SHARES)) {
    left -= share;
    if (left < 0) return kind as StoryKind;
  }
  return 'steady';
}

interface StoryInput {
  held: number;
  near: (factor: number) => number;
  random: Random;
}

type Story = (input: StoryInput) => { changes: PricePoint[]; listCents?: number | null };

const STORIES: Readonly<Record<StoryKind, Story>> = {
  steady: (input) => ({ changes: ordinaryLife(input) }),

  drifting({ held, near, random }) {
    const total = random.between(0.03, 0.07) * (random.chance(0.5) ? 1 : -1);
    const days = [oldest(random)];
    for (let day = 104; day > 4; day -= random.between(9, 16)) days.push(day);
    const last = days.length - 1;
    return {
      changes: days.map((daysAgo, i) => ({
        cents: i === last ? held : near(1 - total * (1 - i / last)),
        daysAgo,
      })),
    };
  },

  reduced({ held, near, random }) {
    // A few products have a much larger reduction, so that the largest deals do not all have the same discount.
    const reduction = random.chance(0.15) ? random.between(0.36, 0.5) : random.between(0.12, 0.36);
    const sale = atMost(near(1 - reduction), Math.floor(held * 0.89));
    const changes = [
      { cents: held, daysAgo: oldest(random) },
      { cents: sale, daysAgo: random.between(0.4, 8) },
    ];
    return { changes, listCents: random.chance(0.5) ? held : null };
  },

  raised_before_sale({ held, near, random }) {
    const saleDay = random.between(0.3, 4);
    const raised = near(random.between(1.2, 1.45));
    const changes = [
      { cents: held, daysAgo: oldest(random) },
      { cents: raised, daysAgo: saleDay + random.between(1, 2) },
      { cents: random.chance(0.5) ? held : near(random.between(0.96, 0.99)), daysAgo: saleDay },
    ];
    return { changes, listCents: random.chance(0.6) ? raised : null };
  },

  inflated_list_price: (input) => ({
    changes: ordinaryLife(input),
    listCents: input.near(input.random.between(1.5, 2.4)),
  }),

  new_declared: ({ held, near, random }) => ({
    changes: [{ cents: held, daysAgo: random.between(0.5, 5.5) }],
    listCents: atLeast(near(random.between(1.18, 1.6)), Math.ceil(held * 1.15)),
  }),

  new: ({ held, random }) => ({ changes: [{ cents: held, daysAgo: random.between(0.2, 5.5) }] }),
};

/** Generates up to three promotions or small changes in four months. */
function ordinaryLife({ held, near, random }: StoryInput): PricePoint[] {
  const changes = [{ cents: held, daysAgo: oldest(random) }];
  let level = held;
  for (const from of [100, 65, 30]) {
    if (!random.chance(0.35)) continue;
    const day = from - random.between(0, 18);
    if (random.chance(0.5)) {
      changes.push({ cents: near(random.between(0.85, 0.94)), daysAgo: day });
      changes.push({ cents: level, daysAgo: day - random.between(2, 6) });
    } else {
      level = near(random.between(0.97, 1.03));
      changes.push({ cents: level, daysAgo: day });
    }
  }
  return changes;
}

const oldest = (random: Random): number => random.between(108, OLDEST_DAYS);

/** Limits a price: beyond the limit, it becomes a multiple of five cents within it. */
const atMost = (cents: number, limit: number): number => (cents <= limit ? cents : limit - (limit % 5));
const atLeast = (cents: number, limit: number): number => (cents >= limit ? cents : limit + 5 - (limit % 5));

/** Adds observations of unchanged prices, because 14 days without one count as a gap. */
function withConfirmations(changes: readonly PricePoint[], random: Random): PricePoint[] {
  const points: PricePoint[] = [];
  changes.forEach(({ cents, daysAgo }, i) => {
    points.push({ cents, daysAgo });
    const until = changes[i + 1]?.daysAgo ?? 0;
    for (let day = daysAgo - random.between(6, 12); day > until + 1; day -= random.between(6, 12)) {
      points.push({ cents, daysAgo: day });
    }
    if (until === 0) points.push({ cents, daysAgo: 0 });
  });
  return points;
}

/** Rounds an amount in cents to a price with the ending of a shop. */
function shopPrice(cents: number, ending: number): number {
  if (cents < 500) return rounded(cents, 5);
  if (cents < 2_000) return rounded(cents, 10);
  if (cents < 30_000) return rounded(cents - ending, 100) + ending;
  return rounded(cents + 100, 1_000) - 100;
}

const rounded = (cents: number, step: number): number => Math.max(step, Math.round(cents / step) * step);

export function decimal(cents: number): string {
  const digits = String(cents).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
