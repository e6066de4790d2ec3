import type { ProfileReader } from './evidence.js';
import { type Profile, readProfile } from './profile.js';

/** One that reads each listing once: for as long as listings stay as they are, such as one request. */
export function profileReader(): ProfileReader {
  const known = new Map<number, Profile>();
  return (listing) => {
    const profile = known.get(listing.id) ?? readProfile(listing);
    known.set(listing.id, profile);
    // In the currency of what it is compared with.
    return profile.price === listing.comparablePrice
      ? profile
      : { ...profile, price: listing.comparablePrice };
  };
}
