import { expect } from 'chai';
import { type Candidate, matchCandidates } from '../../src/matching/match.js';
import { readProfile } from '../../src/matching/profile.js';
import { profileReader } from '../../src/matching/reader.js';

const listing = (id: number, name: string, comparablePrice: number | null = 100): Candidate => ({
  id,
  name,
  brand: 'Auralis',
  source: `shop ${id}`,
  merchant_id: null,
  comparablePrice,
  category: 'Headphones',
  description: `${name}, in the box with a cable of 1.2 m`,
  metadata: { colour: 'Black', weight: '250 g' },
  internal: { gtins: [], models: [] },
});

describe('a reader of listings', () => {
  it('reads each once, and has its price in the currency of what it is compared with', () => {
    const read = profileReader();
    const first = read(listing(1, 'Auralis AX100 black'));
    expect(first).to.equal(read(listing(1, 'Auralis AX100 black')));
    const other = read(listing(1, 'Auralis AX100 black', 74));
    expect(other.price).to.equal(74);
    expect(other.words).to.equal(first.words);
    expect(first.price).to.equal(100);
    expect(read(listing(1, 'Auralis AX100 black', null)).price).to.equal(null);
  });

  it('changes no match', () => {
    const names = ['Auralis AX100 black', 'AX-100 Auralis Headphones', 'Auralis AX200', 'Case for AX100'];
    const listings = names.map((name, at) => listing(at, name));
    const read = profileReader();
    for (const sought of listings) {
      expect(matchCandidates(sought, listings, [], read)).to.deep.equal(
        matchCandidates(sought, listings, [], readProfile),
      );
    }
  });
});
