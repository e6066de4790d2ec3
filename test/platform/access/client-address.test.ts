import { assert } from 'chai';
import { parseAddress, visitorOf } from '../../../src/platform/access/client-address.js';

const DAY_MS = 86_400_000;
const at = (day: number) => new Date(Date.UTC(2026, 10, 19) + day * DAY_MS);

describe('visitors', () => {
  it('have the same pseudonym for a week within the /48 of their address', () => {
    const secret = 'a secret of these tests';
    // Weeks begin on a Thursday, because they are counted from 1970-01-01. 2026-11-19 is a Thursday as well.
    const ofWeek = [0, 3, 6.9].map((day) => visitorOf('203.0.113.7', at(day), secret));
    assert.match(ofWeek[0] ?? '', /^[0-9a-f]{6}$/);
    assert.lengthOf(new Set(ofWeek), 1);
    assert.notEqual(visitorOf('203.0.113.7', at(7), secret), ofWeek[0]);
    assert.notEqual(visitorOf('203.0.113.8', at(0), secret), ofWeek[0]);
    assert.notEqual(visitorOf('203.0.113.7', at(0), 'another'), ofWeek[0]);
    const [one, same, other] = ['2001:db8:0:1::1', '2001:db8:0:fe00::2', '2001:db8:1:1::1'].map((address) =>
      visitorOf(address, at(0), secret),
    );
    assert.equal(one, same);
    assert.notEqual(one, other);
  });
});

describe('parseAddress', () => {
  it('returns the canonical form of an address, without a port, and null for any other text', () => {
    const addresses: [text: string, address: string | null][] = [
      ['203.0.113.7', '203.0.113.7'],
      [' 203.0.113.7:8080 ', '203.0.113.7'],
      ['[2001:DB8::1]:443', '2001:db8::1'],
      ['2001:db8:0:0::1', '2001:db8::1'],
      ['::ffff:203.0.113.7', '203.0.113.7'],
      ['fe80::1%eth0', null],
      ['203.0.113', null],
      ['localhost', null],
      ['', null],
      [`${'0'.repeat(60)}::1`, null],
    ];
    for (const [text, address] of addresses) assert.strictEqual(parseAddress(text), address, text);
  });
});
