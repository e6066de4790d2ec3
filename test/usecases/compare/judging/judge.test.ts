import { expect } from 'chai';
import {
  firstSearches,
  judge,
  type Question,
  type Verdict,
} from '../../../../src/usecases/shared/judging/judge.js';
import { judgeApart } from '../../../../src/usecases/shared/judging/judges.js';
import type { StoredListing } from '../../../../src/listing/listing.js';
import { parseRates } from '../../../../src/usecases/shared/read-rates.js';

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

/** The body of an answer to several searches, of what each found. */
const answer = (...found: object[][]): Uint8Array =>
  Buffer.from(
    JSON.stringify({
      responses: found.map((some) => ({ status: 200, hits: { hits: some.map((_source) => ({ _source })) } })),
    }),
  );

const question = (answers: Uint8Array[], rest: Partial<Question> = {}): Question => ({
  of: [SOUGHT],
  filters: FILTERS,
  rates,
  answers,
  ...rest,
});

const idsOf = (verdict: Verdict): number[][] =>
  'matched' in verdict ? verdict.matched.map((some) => some.map(({ listing: { id } }) => id)) : [];

const decision = (other: StoredListing, decided: 'same' | 'different') => ({
  a_source: SOUGHT.source,
  a_sku: SOUGHT.sku,
  b_source: other.source,
  b_sku: other.sku,
  decision: decided,
});

describe('the judge of comparisons', () => {
  it('matches a listing with its candidates', () => {
    const verdict = judge(question([answer([SAME, OTHER], [], [])]));
    expect(idsOf(verdict)).to.deep.equal([[2]]);
  });

  it('tells each listing apart by the order of the searches', () => {
    const linked = listing(5, 'Auralis AX1000M5 black', { group_id: 9, linked_at: '2026-01-01T00:00:00Z' });
    const of = [linked, SOUGHT];
    expect(firstSearches({ of, filters: FILTERS }).catalogue).to.have.length(3);
    const verdict = judge(question([answer([linked, PARTNER], [SAME], [], [])], { of }));
    expect(idsOf(verdict)).to.deep.equal([[4], [2]]);
  });

  it('says of each what it says of it alone, whatever else is asked', () => {
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
    const together = judge(
      question([answer([...first[0]], [...first[1]], [...second[0]], [], [])], { of: [SOUGHT, other] }),
    );
    const alone = judge(question([answer([...second[0]], [], [])], { of: [other] }));
    expect(idsOf(alone)).to.deep.equal([[6]]);
    expect(together).to.have.property('matched').that.has.length(2);
    expect((together as { matched: object[] }).matched[1]).to.deep.equal(
      (alone as { matched: object[] }).matched[0],
    );
  });

  it('wants to see what people decided to be the same', () => {
    const first = answer([SAME], [], [decision(PARTNER, 'same')]);
    const verdict = judge(question([first]));
    expect(verdict).to.have.property('wanted').that.has.length(1);
    expect(idsOf(judge(question([first, answer([PARTNER])])))).to.deep.equal([[2, 4]]);
  });

  it('wants the others that share a GTIN where the candidates do to the last one', () => {
    const gtins = ['04006381333931'];
    const sought = listing(1, 'Auralis AX1000M5', { gtins });
    const candidates = Array.from({ length: 20 }, (_, at) => listing(10 + at, 'Auralis AX1000M5', { gtins }));
    const first = answer(candidates, [], []);
    const of = [sought];
    expect(judge(question([first], { of })))
      .to.have.property('wanted')
      .that.has.length(1);
    const more = answer([listing(40, 'Auralis AX1000M5', { gtins })]);
    expect(idsOf(judge(question([first, more], { of })))[0])
      .to.include(40)
      .and.have.length(21);
  });

  it('leaves out what people decided to be different', () => {
    expect(idsOf(judge(question([answer([SAME], [], [decision(SAME, 'different')])])))).to.deep.equal([[]]);
  });

  it('finds a linked listing by where it stands, and none where it is not linked', () => {
    const of = { index: 'catalogue-products', id: 1 };
    const filters = { includeSameSource: true };
    const linked = listing(1, 'Auralis AX1000M5', { group_id: 1, linked_at: '2026-01-01T00:00:00Z' });
    const verdict = judge(question([answer([linked, SAME], [])], { of, filters }));
    expect(verdict).to.deep.include({ listings: [linked] });
    expect(idsOf(verdict)).to.deep.equal([[2]]);
    expect(judge(question([answer([], [])], { of, filters }))).to.deep.include({ listings: [], matched: [] });
  });

  it('says what else it compared when it is asked to explain', () => {
    const verdict = judge(question([answer([SAME, OTHER], [], [])], { explain: true }));
    expect(verdict).to.have.nested.property('considered[0]').that.has.length(1);
    expect(verdict).to.have.nested.property('considered[0][0].id', OTHER.id);
  });

  it('tells of a search that failed', () => {
    const error = { type: 'search_phase_execution_exception', reason: 'all shards failed' };
    const body = Buffer.from(JSON.stringify({ responses: [{ error, status: 503 }] }));
    expect(judge(question([body]))).to.deep.equal({ failed: error });
  });

  it('says the same in a thread of its own', async () => {
    const asked = question([answer([SAME, OTHER], [], [])], { explain: true });
    const verdict = await judgeApart(asked);
    expect(verdict).to.deep.equal(judge(asked));
    expect(idsOf(verdict)).to.deep.equal([[2]]);
  });

  it('fails in its thread as it would here, and judges on', async () => {
    const broken = question([Buffer.from('{')]);
    const error: unknown = await judgeApart(broken).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(SyntaxError);
    expect(idsOf(await judgeApart(question([answer([SAME], [], [])])))).to.deep.equal([[2]]);
  });
});
