import { expect } from 'chai';
import {
  firstSearches,
  answerMatchRequest,
  type Matches,
  type MatchRequest,
  type MatchResponse,
} from '../../src/matcher/match-request.js';
import { matchInWorker } from '../../src/matcher/worker-pool.js';
import type { StoredListing } from '../../src/listing/listing.js';
import { parseRates } from '../../src/products/read-rates.js';

const rates = parseRates({ base: 'SGD', date: '2026-01-31', rates: { USD: '0.75' } });

function listing(id: number, name: string, internal: Partial<StoredListing['internal']> = {}): StoredListing {
  return {
    id,
    sku: `sku ${id}`,
    source: `shop ${id}`,
    merchant_id: null,
    name,
    brand: 'Auralis',
    price: '100.00',
    currency: 'SGD',
    category: null,
    description: null,
    metadata: null,
    internal: { gtins: [], models: [], identifiers: [], ...internal },
  } as unknown as StoredListing;
}

const SOUGHT = listing(1, 'Auralis AX1000M5 wireless headphones black');
const SAME = listing(2, 'AX1000M5 by Auralis, wireless headphones, black');
const OTHER = listing(3, 'Auralis AX1000M5 wireless headphones white');
const PARTNER = listing(4, 'Kopfhoerer mit Funk');
const FILTERS = { includeSameSource: false };

/** Creates the body of a response to several searches, with the listings that each search found. */
const answer = (...found: object[][]): Uint8Array =>
  Buffer.from(
    JSON.stringify({
      responses: found.map((some) => ({ status: 200, hits: { hits: some.map((_source) => ({ _source })) } })),
    }),
  );

const request = (responses: Uint8Array[], rest: Partial<MatchRequest> = {}): MatchRequest => ({
  of: [SOUGHT],
  filters: FILTERS,
  rates,
  model: null,
  responses,
  ...rest,
});

const idsOf = (response: MatchResponse): number[][] =>
  'matched' in response ? response.matched.map((some) => some.map(({ listing: { id } }) => id)) : [];

const decision = (other: StoredListing, decided: 'same' | 'different') => ({
  a_source: SOUGHT.source,
  a_sku: SOUGHT.sku,
  b_source: other.source,
  b_sku: other.sku,
  decision: decided,
});

describe('answerMatchRequest', () => {
  it('matches a listing with its candidates', () => {
    const response = answerMatchRequest(request([answer([SAME, OTHER], [], [])]));
    expect(idsOf(response)).to.deep.equal([[2]]);
  });

  it('assigns the responses to the listings by the order of the searches', () => {
    const linked = listing(5, 'Auralis AX1000M5 black', { group_id: 9, linked_at: '2026-01-01T00:00:00Z' });
    const of = [linked, SOUGHT];
    expect(firstSearches({ of, filters: FILTERS }).catalogue).to.have.length(2);
    const partner = { ...PARTNER, internal: { ...PARTNER.internal, group_id: 9 } };
    const response = answerMatchRequest(request([answer([SAME], [], [linked, partner])], { of }));
    expect(idsOf(response)).to.deep.equal([[4], [2]]);
  });

  it('returns the same matches for a listing alone and among others', () => {
    const whole = {
      ...listing(6, 'Auralis AX2000 headphones', {}),
      description: 'Wireless, black. Model AX2000-B with a case and a cable of two metres.',
    };
    const { description: _, ...partial } = whole;
    const other = listing(7, 'AX2000-B black Auralis headphones, case, cable');
    const [first, second] = [
      [[SAME], [partial]],
      [[whole], []],
    ] as const;
    const together = answerMatchRequest(
      request([answer([...first[0]], [...first[1]], [...second[0]], [], [])], { of: [SOUGHT, other] }),
    );
    const alone = answerMatchRequest(request([answer([...second[0]], [], [])], { of: [other] }));
    expect(idsOf(alone)).to.deep.equal([[6]]);
    expect(together).to.have.property('matched').that.has.length(2);
    expect((together as { matched: object[] }).matched[1]).to.deep.equal(
      (alone as { matched: object[] }).matched[0],
    );
  });

  it('finds the candidates of several listings with one search', () => {
    const other = listing(7, 'AX2000-B black Auralis headphones');
    const of = [SOUGHT, other];
    expect(firstSearches({ of, filters: FILTERS, isJoint: true }).catalogue).to.have.length(1);
    const same = listing(8, 'AX2000-B Auralis headphones, black');
    const found = answer([SAME, same], []);
    expect(idsOf(answerMatchRequest(request([found], { of, isJoint: true })))).to.deep.equal([[2], [8]]);
  });

  describe('for a linked listing', () => {
    const inGroup = { group_id: 9, linked_at: '2026-01-01T00:00:00Z' };
    const sought = { ...SOUGHT, internal: { ...SOUGHT.internal, ...inGroup } };
    const member = (id: number, name: string, source: string) => ({ ...listing(id, name, inGroup), source });
    const matched = (found: StoredListing[]) =>
      (answerMatchRequest(request([answer(found)], { of: [sought] })) as Matches).matched[0] ?? [];

    it('returns the foremost listings of a group that has more than are read', () => {
      // As the search returns them: the foremost first, and not in the order of their ids.
      const found = Array.from({ length: 1_200 }, (_, at) => member(2_000 - at, SAME.name, 'one shop'));
      const ids = matched(found).map(({ listing: { id } }) => id);
      expect(ids).to.deep.equal(Array.from({ length: 200 }, (_, at) => 1_801 + at));
    });

    it('takes no offer of the product for a competitor of another one', () => {
      const found = [
        member(2, 'AX1000M5 by Auralis, wireless headphones', 'one shop'),
        member(3, 'Auralis AX1000M5 wireless headphones black 2024', 'one shop'),
        member(4, 'Auralis AX1000 wireless headphones black, with case', 'one shop'),
      ];
      expect(matched(found).at(-1)?.score).to.be.above(0.8);
    });
  });

  it('requests the listings that people decided to be the same product', () => {
    const first = answer([SAME], [], [decision(PARTNER, 'same')]);
    const response = answerMatchRequest(request([first]));
    expect(response).to.have.property('wanted').that.has.length(1);
    expect(idsOf(answerMatchRequest(request([first, answer([PARTNER])])))).to.deep.equal([[2, 4]]);
  });

  it('requests further listings that share a GTIN if all candidates share it', () => {
    const gtins = ['04006381333931'];
    const sought = listing(1, 'Auralis AX1000M5', { gtins });
    const candidates = Array.from({ length: 20 }, (_, at) => listing(10 + at, 'Auralis AX1000M5', { gtins }));
    const first = answer(candidates, [], []);
    const of = [sought];
    expect(answerMatchRequest(request([first], { of })))
      .to.have.property('wanted')
      .that.has.length(1);
    const more = answer([listing(40, 'Auralis AX1000M5', { gtins })]);
    expect(idsOf(answerMatchRequest(request([first, more], { of })))[0])
      .to.include(40)
      .and.have.length(21);
  });

  it('excludes listings that people decided to be different', () => {
    expect(
      idsOf(answerMatchRequest(request([answer([SAME], [], [decision(SAME, 'different')])]))),
    ).to.deep.equal([[]]);
  });

  it('finds a listing by reference if it is linked, and otherwise returns nothing', () => {
    const of = { index: 'catalogue-products', id: 1 };
    const filters = { includeSameSource: true };
    const linked = listing(1, 'Auralis AX1000M5', { group_id: 1, linked_at: '2026-01-01T00:00:00Z' });
    const same = { ...SAME, internal: { ...SAME.internal, group_id: 1 } };
    const response = answerMatchRequest(request([answer([linked, same])], { of, filters }));
    expect(response).to.deep.include({ listings: [linked] });
    expect(idsOf(response)).to.deep.equal([[2]]);
    expect(answerMatchRequest(request([answer([])], { of, filters }))).to.deep.include({
      listings: [],
      matched: [],
    });
  });

  it('returns the other candidates with `explain`', () => {
    const response = answerMatchRequest(request([answer([SAME, OTHER], [], [])], { explain: true }));
    expect(response).to.have.nested.property('considered[0]').that.has.length(1);
    expect(response).to.have.nested.property('considered[0][0].id', OTHER.id);
  });

  it('reports a search that failed', () => {
    const error = { type: 'search_phase_execution_exception', reason: 'all shards failed' };
    const body = Buffer.from(JSON.stringify({ responses: [{ error, status: 503 }] }));
    expect(answerMatchRequest(request([body]))).to.deep.equal({ failed: error });
  });

  it('returns the same response in a worker thread', async () => {
    const sent = request([answer([SAME, OTHER], [], [])], { explain: true });
    const response = await matchInWorker(sent);
    expect(response).to.deep.equal(answerMatchRequest(sent));
    expect(idsOf(response)).to.deep.equal([[2]]);
  });

  it('fails in the worker with the same error, and the worker answers the next request', async () => {
    const broken = request([Buffer.from('{')]);
    const error: unknown = await matchInWorker(broken).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(SyntaxError);
    expect(idsOf(await matchInWorker(request([answer([SAME], [], [])])))).to.deep.equal([[2]]);
  });
});
