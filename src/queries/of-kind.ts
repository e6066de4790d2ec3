import type { estypes } from '@elastic/elasticsearch';
import { FIRST_WORDS, LAST_WORDS } from '../listing/accessories.js';
import { type AskedKinds, kindsAsked } from '../listing/head.js';
import { BY_RELEVANCE } from './listings.js';
import { hasAllWords, withPhrase, withWord, wordQueries } from './search.js';
import type { Selection } from './selection.js';
import { spellingSuggestion } from './spelling.js';
import { readWording } from './wording.js';

type Query = estypes.QueryDslQueryContainer;

/**
 * What a text comes to where the order says nothing of how well a listing fits it. The cheapest of all that has any of
 * its words would be something else, so what is listed is the thing that is asked for, and has as many of the words as
 * any listing of that kind.
 */
export interface Narrowed {
  /** The words that a suggestion is for. */
  plain: string;
  /** Asks for the listing that fits best: its score tells how far the words can narrow. */
  probe: Selection;
  /** @param score of the first listing of the probe; null: there is none. */
  clauses(score: number | null): Query[];
}

/** Beyond any number of words, so that a listing of the kind comes before what only has more of them. */
const KIND = 1_000;
/** Less than a word. */
const HEAD = 0.5;

/**
 * @param typed the shopper's text.
 * @param filter clauses that every listing must match.
 * @param plain the words that are not quoted; where they were misspelt, as they are meant.
 */
export function narrowedText(typed: string, filter: readonly Query[], plain?: string): Narrowed {
  const wording = readWording(typed);
  const text = [plain ?? wording.plain, ...wording.phrases].join(' ').trim();
  const asked = kindsAsked(text);
  const words = wordQueries(text);
  const each = words.map((word): Query => worth(1, withWord(word)));
  const suggest =
    wording.plain === '' || plain !== undefined ? {} : { suggest: spellingSuggestion(wording.plain) };
  return {
    plain: wording.plain,
    probe: {
      query: {
        bool: {
          filter: [...filter, ...wording.phrases.map(withPhrase)],
          must: {
            dis_max: { queries: [{ bool: { should: each } }, worth(words.length, hasAllWords(text))] },
          },
          should: {
            dis_max: { queries: [worth(KIND + HEAD, headClause(asked)), worth(KIND, kindClause(asked))] },
          },
        },
      },
      sort: BY_RELEVANCE,
      ...suggest,
    },
    clauses(score) {
      if (score === null) return [hasAllWords(text)];
      const count = Math.floor(score % KIND);
      const has: Query =
        count >= words.length
          ? hasAllWords(text)
          : { bool: { should: words.map(withWord), minimum_should_match: count } };
      if (score < KIND) return [has];
      return [has, score % 1 === HEAD ? headClause(asked) : kindClause(asked)];
    },
  };
}

const worth = (boost: number, filter: Query): Query => ({ constant_score: { filter, boost } });

const ofKind = (kinds: readonly string[]): Query[] =>
  kinds.map((kind) => ({ match: { 'internal.kinds': { query: kind, operator: 'and' } } }));

/** Whatever goes with another thing. */
const ACCESSORY: Query = { match: { 'internal.kinds': [...LAST_WORDS, ...FIRST_WORDS].join(' ') } };

/** A sleeve in a department of laptops is none. */
const notAccessory = ({ isAccessory }: AskedKinds): Query[] => (isAccessory ? [] : [ACCESSORY]);

const headClause = (asked: AskedKinds): Query => ({
  bool: { should: ofKind(asked.head), minimum_should_match: 1, must_not: notAccessory(asked) },
});

/** What any of the nouns say, and where the last of them is a brand, things of that brand. */
const kindClause = (asked: AskedKinds): Query => ({
  bool: {
    should: [
      ...ofKind([...asked.head, ...asked.others]),
      ...asked.head.map((brand): Query => ({ match: { brand: { query: brand, operator: 'and' } } })),
    ],
    minimum_should_match: 1,
    must_not: notAccessory(asked),
  },
});
