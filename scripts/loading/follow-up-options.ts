import { FOLLOW_UP_STEPS, type FollowUpStep } from '../../src/sources/follow-up-queue.js';
import { flag } from '../shared/options.js';

/** The options of the commands that load listings which leave out a part of the follow-up. */
export const FOLLOW_UP_OPTIONS = {
  noQuality: flag('do not update flags that depend on other listings afterwards'),
  noSuggest: flag('do not update suggestions afterwards'),
  noBrands: flag('do not learn the brand dictionary afterwards'),
};

/** The steps of the follow-up that the options leave. */
export function followUpSteps(given: Record<keyof typeof FOLLOW_UP_OPTIONS, boolean>): FollowUpStep[] {
  const isLeftOut: Record<FollowUpStep, boolean> = {
    brands: given.noBrands,
    quality: given.noQuality,
    suggestions: given.noSuggest,
  };
  return FOLLOW_UP_STEPS.filter((step) => !isLeftOut[step]);
}
