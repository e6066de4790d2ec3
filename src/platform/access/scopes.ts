import type { KeyIdentity } from './identity.js';

/** What a key may do besides reading: write the listings of one source. */
export const SCOPE_PATTERN = '^write:\\S(?:.{0,62}\\S)?$';

const WRITE = 'write:';

/** The sources whose listings a key may write. */
export const writableSources = ({ scopes = [] }: Pick<KeyIdentity, 'scopes'>): Set<string> =>
  new Set(scopes.filter((scope) => scope.startsWith(WRITE)).map((scope) => scope.slice(WRITE.length)));
