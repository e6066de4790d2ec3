import type { Static } from 'typebox';
import { component, Enum, flag, integer, optional, orNull, text } from './types.js';

const ExcludedSchema = component('Excluded', {
  text: text('The words, without the hyphen and quotation marks, or without "not"', 'red'),
  from: integer('Start of the exclusion in `q`, in UTF-16 code units'),
  to: integer('End of the exclusion in `q`, exclusive'),
  applied: flag('Whether listings with the words are left out; otherwise they are searched for'),
  reason: orNull(
    Enum(['unclear', 'name']),
    'Why it is not applied. `name`: `q` is an identifier or the exact name of a listing. `unclear`: the meaning of the words is uncertain',
  ),
});

export type Excluded = Static<typeof ExcludedSchema>;

/** The member of a page that lists what `q` excludes. */
export const excludedMember = {
  excluded: optional.listOf(
    ExcludedSchema,
    'If `q` has exclusions (`-red`, `-"two words"`; with `interpret=true` also "not red"): these exclusions',
  ),
};

/** A sentence for the description of `q`. */
export const EXCLUSIONS =
  '`-word` and `-"two words"` leave out listings with these words in the name, brand, category or attributes (at most 10)';
