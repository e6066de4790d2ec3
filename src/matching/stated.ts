import type { Product } from '../schemas/product.js';
import { lazily } from './lazily.js';
import { asCandidate } from './query.js';
import { readProfile, type Profile } from './profile.js';

/** What metadata says of the thing itself, and of what it goes with. */
export interface Stated {
  own: Profile;
  /** Of that, which model and size it is: other numbers, such as days of battery life, are no part of a name. */
  naming: Profile;
  goesWith: Profile;
}

const NAMING = /model|mpn|series|generation|version|size|edition|name|title/;
const GOES_WITH = /compat|fits|suitable|works_?with|for_/;
/** Of the shop, or of nobody's interest here. */
const NOT_OF_THE_THING = /shop|seller|store|merchant|vendor|warranty|shipping|delivery|url|image|link|descri/;
const MAX_VALUE = 100;
const MAX_TEXT = 400;

/** Of the texts of a listing's metadata and its categories; each part is read when it is asked for, if ever. */
export function readStated({ metadata, category, category_path: path }: Product): Stated {
  const texts = lazily(() => {
    const found = { own: [category ?? '', ...path], naming: [], goesWith: [] };
    collect('', metadata, found);
    return found;
  });
  const part = (name: keyof Stated) => lazily(() => readTexts(texts()[name]));
  const [own, naming, goesWith] = [part('own'), part('naming'), part('goesWith')];
  return {
    get own() {
      return own();
    },
    get naming() {
      return naming();
    },
    get goesWith() {
      return goesWith();
    },
  };
}

const NOTHING = readProfile(asCandidate(''));

const readTexts = (some: readonly string[]): Profile =>
  some.length === 0 ? NOTHING : readProfile(asCandidate(some.join(' | ').slice(0, MAX_TEXT)));

function collect(key: string, value: unknown, texts: Record<keyof Stated, string[]>): void {
  if (NOT_OF_THE_THING.test(key)) return;
  if (typeof value === 'string' && value.length <= MAX_VALUE) {
    if (GOES_WITH.test(key)) texts.goesWith.push(value);
    else texts.own.push(value);
    if (NAMING.test(key)) texts.naming.push(value);
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [name, item] of Object.entries(value)) {
    collect(Array.isArray(value) ? key : name.toLowerCase(), item, texts);
  }
}
