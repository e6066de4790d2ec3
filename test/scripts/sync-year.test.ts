// Chaos only (oracles, sampled, 20 min): npm test loads 4 sources on 8 days if it draws it, npm run test:chaos 20 sources on each day of a year.
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { assert } from 'chai';
import { isChaos, oracle } from '../support/chaos.js';
import { syncing } from '../support/syncing.js';
import { testCatalogue } from '../support/test-catalogue.js';
import { startServer } from '../usecases/images/server.js';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const FORTNIGHT_MS = 14 * DAY_MS;
const START = Date.UTC(2025, 0, 1);
const [SOURCES, DAYS, LISTINGS] = isChaos ? [20, 365, 8] : [4, 8, 8];

/** How a source delivers its feed, which decides when its listings count as seen. */
type Delivery = 'folder' | 'etag' | 'last-modified' | 'dated';
const DELIVERIES: readonly Delivery[] = ['folder', 'etag', 'last-modified', 'dated'];

/** The days on which a shop that delivers so is away, or has an unchanged or a wrong feed, whatever the random numbers are. */
const TURNS: Partial<Record<Delivery, number>> = { 'last-modified': 1, etag: 2, dated: 3 };

/** What the shop sells on one day: the price of each SKU in cents; null without a price. */
type Offers = Map<string, number | null>;

interface Shop {
  name: string;
  delivery: Delivery;
  offers: Offers;
  /** When the present feed was made, and its text. */
  made: number;
  text: string;
  /** Whether the server is away, or all prices of the feed are a hundred times too high. */
  isAway: boolean;
  isWrong: boolean;
  /** When the feed that was loaded last was made, and the prices that were seen: what a brute force over the files gives. */
  loaded: number | null;
  seen: Map<string, { at: number; cents: number }[]>;
  listed: Set<string>;
  /** What the present feed contains. */
  listedNext: Offers;
}

interface Segment {
  price: string;
  from: number;
  to: number;
}

/** Joins sightings of one price that are no more than a fortnight apart. */
function segmentsOf(sightings: readonly { from: number; to: number; price: string }[]): Segment[] {
  const segments: Segment[] = [];
  for (const { from, to, price } of sightings) {
    const last = segments.at(-1);
    if (last?.price === price && from - last.to <= FORTNIGHT_MS) last.to = Math.max(last.to, to);
    else segments.push({ price, from, to });
  }
  return segments;
}

const priceOf = (cents: number): string => (cents / 100).toFixed(2);

function feedText({ delivery, offers, isWrong, made }: Shop): string {
  const factor = isWrong ? 100 : 1;
  const rows = [...offers].map(([sku, cents]) => ({
    sku,
    price: cents === null ? null : priceOf(cents * factor),
  }));
  if (delivery === 'dated') {
    const last_checked = new Date(made).toISOString();
    const lines = rows.map(({ sku, price }) =>
      JSON.stringify({ sku, name: `Kettle ${sku}`, price, currency: 'EUR', last_checked }),
    );
    return `${lines.join('\n')}\n`;
  }
  // The feeds of two deliveries have columns of their own, and amounts with a comma.
  if (delivery === 'etag')
    return `nr;titel;preis\n${rows.map(({ sku, price }) => `${sku};Kettle ${sku};${price?.replace('.', ',') ?? ''}\n`).join('')}`;
  return `sku,name,price,currency\n${rows.map(({ sku, price }) => `${sku},Kettle ${sku},${price ?? ''},EUR\n`).join('')}`;
}

describe('a year of daily loads by npm run sync', function () {
  if (isChaos) this.timeout(60 * MINUTE_MS);
  const catalogue = testCatalogue('sync-year');
  const { folder, source, sync } = syncing(catalogue);
  const { random } = oracle(4_711, 10);
  const chance = (share: number) => random() < share;
  after(catalogue.remove);

  it('gives the histories that a brute force over the files gives', async () => {
    const shops: Shop[] = Array.from({ length: SOURCES }, (_, i) => ({
      name: `shop_${i}`,
      delivery: DELIVERIES[i % DELIVERIES.length] ?? 'folder',
      offers: new Map(Array.from({ length: LISTINGS }, (_, n) => [`S${n}`, 1_000 * (n + 1)])),
      made: 0,
      text: '',
      isAway: false,
      isWrong: false,
      loaded: null,
      seen: new Map(),
      listed: new Set(),
      listedNext: new Map(),
    }));
    const server = await startServer(({ url = '', headers }, response) => {
      const shop = shops.find(({ name }) => url === `/${name}`);
      if (shop === undefined || shop.isAway) return response.writeHead(404).end();
      if (shop.delivery === 'etag') return response.writeHead(200, { etag: `"${shop.made}"` }).end(shop.text);
      const modified = new Date(shop.made).toUTCString();
      if (headers['if-modified-since'] === modified) return response.writeHead(304).end();
      return response.writeHead(200, { 'last-modified': modified }).end(shop.text);
    });
    writeFileSync(
      path.join(folder, 'maps/german.yaml'),
      'fields: {sku: nr, name: titel, price: {from: preis, money: amount}}\n',
    );
    for (const { name, delivery } of shops) {
      const schedule = '15 6 * * *';
      const guards = { max_vanished: 60, allow_missing: ['price'] };
      if (delivery === 'folder') {
        mkdirSync(path.join(catalogue.folder, name));
        source(name, { folder: `../${name}`, schedule, guards });
      } else
        source(name, {
          url: server.url(`/${name}`),
          allow_private: true,
          schedule,
          guards,
          ...(delivery === 'etag' ? { map: 'maps/german.yaml', decimal: 'comma', currency: 'EUR' } : {}),
        });
    }
    const outcomes: Record<string, number> = {};
    try {
      for (let day = 0; day < DAYS; day += 1) {
        const due = START + day * DAY_MS + (6 * 60 + 15) * MINUTE_MS;
        for (const shop of shops) change(shop, due, day);
        const first = await sync(new Date(due));
        for (const shop of shops) observe(shop, due);
        const away = shops.filter(({ isAway }) => isAway);
        for (const { outcome } of first.runs) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
        assert.lengthOf(first.runs, SOURCES, first.said);
        if (away.length === 0) continue;
        // A failed run is repeated five minutes later.
        for (const shop of away) shop.isAway = false;
        const again = await sync(new Date(due + 5 * MINUTE_MS));
        assert.sameMembers(
          again.runs.map(({ name }) => name),
          away.map(({ name }) => name),
        );
        for (const shop of away) observe(shop, due + 5 * MINUTE_MS);
      }
    } finally {
      await server.stop();
    }
    for (const outcome of ['loaded', 'not_modified', 'refused', 'failed'])
      assert.isAbove(outcomes[outcome] ?? 0, 0, JSON.stringify(outcomes));
    const stored = await catalogue.stored();
    let compared = 0;
    for (const { name, seen, listed } of shops)
      for (const [sku, sightings] of seen) {
        const listing = stored.get(`${name}/${sku}`)?.listing;
        const history = (listing?.internal.price_history ?? []).map(({ price, at, seen_until }) => ({
          price,
          from: Date.parse(at),
          to: Date.parse(seen_until ?? at),
        }));
        const expected = sightings.map(({ at, cents }) => ({ price: priceOf(cents), from: at, to: at }));
        assert.deepEqual(segmentsOf(history), segmentsOf(expected), `${name}/${sku}`);
        assert.strictEqual(listing?.is_available !== false, listed.has(sku), `${name}/${sku} is available`);
        compared += 1;
      }
    assert.strictEqual(compared, SOURCES * LISTINGS);
  });

  /** Changes what a shop sells, and its feed, for one day. */
  function change(shop: Shop, due: number, day: number): void {
    const isFirst = day === 0;
    const { delivery } = shop;
    const isTurn = TURNS[delivery] === day;
    shop.isAway = !isFirst && delivery !== 'folder' && (isTurn ? delivery === 'etag' : chance(0.1));
    // A feed that has not been made anew is delivered again.
    if (!isFirst && !shop.isWrong && (isTurn ? delivery === 'last-modified' : chance(0.15))) return;
    shop.isWrong = !isFirst && (isTurn ? delivery === 'dated' : chance(0.08));
    for (const [sku, cents] of shop.offers) {
      if (!chance(0.3)) continue;
      const before = cents ?? 1_000;
      shop.offers.set(
        sku,
        chance(0.1) && !isFirst ? null : Math.max(100, Math.round(before * (0.9 + 0.2 * random()))),
      );
    }
    // One listing at most is missing, for a day or, now and then, for weeks.
    const missing = `S${Math.floor(day / 20) % LISTINGS}`;
    const delivered = new Map(shop.offers);
    if (!isFirst && (day % 40 < 18 || chance(0.3))) delivered.delete(missing);
    shop.made = due - 2 * 60 * MINUTE_MS;
    shop.text = feedText({ ...shop, offers: delivered });
    shop.listedNext = delivered;
    if (shop.delivery === 'folder') {
      const file = path.join(catalogue.folder, shop.name, `feed-${String(day).padStart(3, '0')}.csv`);
      writeFileSync(file, shop.text);
      utimesSync(file, new Date(shop.made), new Date(shop.made));
    }
  }

  /** Notes what a run at a time sees, according to how the feed is delivered. */
  function observe(shop: Shop, at: number): void {
    if (shop.isAway || shop.isWrong) return;
    if (shop.loaded === shop.made && shop.delivery !== 'etag') return;
    shop.loaded = shop.made;
    const time = shop.delivery === 'last-modified' || shop.delivery === 'dated' ? shop.made : at;
    for (const [sku, cents] of shop.listedNext)
      if (cents !== null) shop.seen.set(sku, [...(shop.seen.get(sku) ?? []), { at: time, cents }]);
    shop.listed = new Set(shop.listedNext.keys());
  }
});
