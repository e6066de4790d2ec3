import { assert } from 'chai';
import type { StoredCandidate } from '../../src/matching/requested/candidate-listing.js';
import { readProfile } from '../../src/matching/profile.js';
import { offersUnderOtherNames } from '../../src/matching/requested/other-names.js';
import { asCandidate, readRequestedProduct } from '../../src/matching/requested/requested-product.js';

describe('offersUnderOtherNames', () => {
  interface Match {
    q: string;
    /** The listing that was chosen for the request. */
    product: string;
    other: string;
    maker?: string;
    /** Whether both listings are linked to one product. */
    linked: boolean;
    metadata?: object;
  }

  const isOffer = ({ q, product, other, maker, linked, metadata }: Match): boolean => {
    const [one, match] = [product, other].map((name, id) => {
      const candidate = asCandidate(name);
      const links = linked ? { group_id: 1, linked_at: '2026-01-01T00:00:00Z' } : {};
      return {
        ...candidate,
        id,
        category: null,
        category_path: [],
        metadata: metadata ?? null,
        internal: { ...candidate.internal, identifiers: [], maker, ...links },
        confidence: 0.7,
      } as unknown as StoredCandidate & { confidence: number };
    }) as [StoredCandidate, StoredCandidate & { confidence: number }];
    return offersUnderOtherNames(readRequestedProduct(q), [one], [match], [one], readProfile).length > 0;
  };

  const REFUSED: Record<string, Match> = {
    'a linked listing for something that the product does not go with': {
      q: 'Optara 100-400mm L mount',
      product: 'Optara 100-400mm f/5-6.3 Lens (L Mount)',
      other: 'Optara 100-400mm f/5-6.3 Lens for Fovea',
      linked: true,
    },
    'another line of a maker whose name has a digit': {
      q: 'tough21 evo elite case',
      product: 'Tough21 - Evo Elite Case - Black',
      other: 'Tough21 - Evo Check Case - Black',
      maker: 'Tough21',
      linked: false,
    },
    'a linked listing without the requested tier': {
      q: 'gamestation 5 slim',
      product: 'GameStation 5 Digital Edition Slim',
      other: 'GameStation 5 Digital',
      linked: true,
    },
    'a linked listing whose model number lacks the requested ending': {
      q: 'velrock b650-p wifi',
      product: 'Velrock Pro B650-P WIFI Motherboard',
      other: 'Velrock AM5 MAG B650 TORNADO WIFI',
      linked: true,
    },
    'a linked listing with another ending of the model number that also lacks a word': {
      q: 'velrock mag b650 tornado',
      product: 'Velrock AM5 MAG B650 TORNADO WIFI',
      other: 'Velrock Pro B650-P WIFI Motherboard',
      linked: true,
    },
    'a linked listing whose number lacks the requested letter': {
      q: 'tesselar razen 5 2600x',
      product: 'Tesselar Razen 5 2600X',
      other: 'Tesselar Razen 5 2600 Processor',
      linked: true,
    },
    'a linked listing that has a number instead of the requested letter': {
      q: 'corvane nitrox v 15',
      product: 'Corvane Nitrox V Razen 5 7535HS Gaming Laptop (15.6 Inch)',
      other: 'Nitrox 5 Gaming Laptop',
      linked: true,
    },
    'a linked listing that has the requested number after another word': {
      q: 'nitrox 5',
      product: 'Nitrox 5 Gaming Laptop',
      other: 'Corvane Nitrox V Razen 5 7535HS Gaming Laptop',
      linked: true,
    },
    'an edition that the product is not': {
      q: 'tarnix 5 performer (mac)',
      product: 'Tarnix 5 Performer (Mac)',
      other: 'Tarnix 5 Performer Competitive Upgrade (Mac)',
      linked: false,
    },
    'another colour in the name, although the metadata states both': {
      q: 'tarnix 108r01 yellow drum',
      product: 'Tarnix 108R01 Yellow Drum',
      other: 'Tarnix 108R01 Black Drum',
      linked: false,
      metadata: { colour: 'Black, Yellow' },
    },
  };
  for (const [what, match] of Object.entries(REFUSED)) {
    it(`refuses ${what}`, () => {
      assert.isFalse(isOffer(match));
    });
  }

  it('accepts the same product in other words', () => {
    assert.isTrue(
      isOffer({
        q: 'Optara 100-400mm L mount',
        product: 'Optara 100-400mm f/5-6.3 Lens (L Mount)',
        other: 'Optara 100-400 mm f5-6.3 for L-Mount',
        linked: true,
      }),
    );
    assert.isTrue(
      isOffer({
        q: 'tarnix 108r01 yellow drum',
        product: 'Tarnix 108R01 Yellow Drum',
        other: 'Tarnix 108R01 Drum, Yellow',
        linked: false,
      }),
    );
    assert.isTrue(
      isOffer({
        q: 'tarnix secrets plus v 1.0',
        product: 'Tarnix Secrets Plus v 1.0',
        other: 'Tarnix Secrets Plus 1.0',
        linked: true,
      }),
    );
    assert.isTrue(
      isOffer({
        q: 'sonvara dvp820w player',
        product: 'Sonvara DVP820W Player',
        other: 'Sonvara DVP820 Player - DVP820W',
        linked: true,
      }),
    );
    assert.isTrue(
      isOffer({
        q: '40 years of the revengers',
        product: '40 years of the revengers',
        other: 'gitte 40 years of marvellous revengers dvd-rom',
        linked: true,
      }),
    );
    assert.isTrue(
      isOffer({
        q: 'allmount moda 2 shelf furniture',
        product: 'Allmount Moda 2 Shelf Furniture',
        other: 'Allmount Moda Collection 2 Shelf Wall Furniture',
        linked: true,
      }),
    );
  });
});
