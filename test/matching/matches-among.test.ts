// Chaos too (oracles): npm test runs some of the rounds.
import { expect } from 'chai';
import type { Candidate } from '../../src/matching/evidence.js';
import { matchCandidates, matchesAmong, MATCH_THRESHOLD } from '../../src/matching/match.js';
import { generateCatalogue } from '../../tools/sample-catalogue/catalogue.js';
import { isChaos, sampled } from '../support/chaos.js';

const OPTIONS = {
  seed: 7,
  listings: 1_500,
  now: new Date('2026-11-01T00:00:00Z'),
  imageBaseUrl: 'http://localhost/sample/images',
};

/** The number of candidates is that of a comparison. */
const CANDIDATES = 30;
const SIBLINGS = 5;

const LISTINGS = [...generateCatalogue(OPTIONS)].map((record, id): Candidate => {
  const {
    name,
    brand = null,
    source,
    merchant_id = null,
    price,
  } = record as unknown as Candidate & { price: string };
  const { category, description, metadata } = record as unknown as Candidate;
  const { model } = (metadata ?? {}) as { model?: string };
  return {
    id,
    name,
    brand,
    source,
    merchant_id,
    category,
    description,
    metadata,
    internal: {
      gtins: [],
      models: model === undefined ? [] : [model.toLowerCase().replace(/[^a-z0-9]/g, '')],
    },
    comparablePrice: Number(price) * 10_000,
  } as Candidate;
});

describe('matchesAmong', () => {
  it('returns the candidates above the threshold with the scores and reasons of matchCandidates', () => {
    let found = 0;
    for (const sought of sampled(
      LISTINGS.filter((_, at) => at % 10 === 0),
      50,
    )) {
      const alike = LISTINGS.filter(({ id, category }) => id !== sought.id && category === sought.category);
      const candidates = alike.filter(({ source }) => source !== sought.source).slice(0, CANDIDATES);
      const siblings = alike.filter(({ source }) => source === sought.source).slice(0, SIBLINGS);
      const all = matchCandidates(sought, candidates, siblings).map((match, at) => ({
        id: candidates[at]?.id,
        ...match,
      }));
      const likely = all.filter(({ score }) => score >= MATCH_THRESHOLD);
      expect(matchesAmong(sought, candidates, siblings)).to.deep.equal(likely);
      found += likely.length;
    }
    expect(found).to.be.greaterThan(isChaos ? 100 : 0);
  });
});
