import { expect } from 'chai';
import { canonicalInstant, compareInstants, formatInstant, parseInstant } from '../../src/listing/instant.js';
import { words } from '../support/words.js';

describe('points in time', () => {
  it('are validated even if they have the canonical form', () => {
    const days = words('2026-02-28 2026-02-29 2024-02-29 2026-04-31 2026-12-31 2026-13-01 0000-01-01');
    const hours = ['00:00:00', '23:59:59', '24:00:00', '12:60:00', '12:00:60'];
    for (const text of days.flatMap((day) => hours.map((hour) => `${day}T${hour}Z`))) {
      const ms = parseInstant(text);
      expect(canonicalInstant(text), text).to.equal(ms === null ? null : formatInstant(ms));
    }
    expect(canonicalInstant('2026-02-28T12:00:00Z')).to.equal('2026-02-28T12:00:00Z');
    expect(canonicalInstant('2026-02-30T12:00:00Z')).to.equal(null);
  });

  it('are compared with and without fractions', () => {
    const ordered = ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.001Z', '2026-01-01T00:00:01Z'];
    expect([...ordered].reverse().sort(compareInstants)).to.eql(ordered);
  });
});
