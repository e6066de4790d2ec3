import { DocumentCache } from '../../../platform/document-cache.js';
import { DocumentError, type DocumentFetcher } from '../../../platform/fetch-document.js';
import { UcpError } from './errors.js';
import { type Capability, type Release, RELEASES } from './releases.js';

export interface PlatformProfile {
  version: string;
  /** The versions of each capability that the platform supports; null if its profile lists no capabilities. */
  capabilities: ReadonlyMap<string, readonly string[]> | null;
}

const MAX_HEADER = 4_096;

/** Matches the member `profile` of the header, which is a dictionary (RFC 8941) with string values. */
const PROFILE = /(?:^|,)[ \t]*profile="((?:[^"\\]|\\["\\])*)"/;

const MISSING =
  'UCP-Agent must name the profile of the platform: profile="https://platform.example/.well-known/ucp"';

/** Reads the URL of the platform's profile from the header `UCP-Agent`. @throws UcpError 400 */
export function profileUrl(header: string | undefined): string {
  const value = header === undefined || header.length > MAX_HEADER ? undefined : PROFILE.exec(header)?.[1];
  return checkedUrl(value?.replaceAll(/\\(["\\])/g, '$1'));
}

/** Checks that a text is the URL of a profile. @throws UcpError 400 */
export function checkedUrl(text: unknown): string {
  const url = typeof text === 'string' && text.length <= 2_048 && URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:')
    throw new UcpError(400, 'invalid_profile_url', MISSING);
  return url.href;
}

export const createPlatforms = (fetcher: DocumentFetcher) =>
  new DocumentCache<PlatformProfile>({
    async read(url) {
      try {
        return profileOf(await fetcher.fetch(url));
      } catch (error) {
        if (!(error instanceof DocumentError)) throw error;
        throw error.refused
          ? new UcpError(400, 'invalid_profile_url', `The profile is not read: ${error.message}`)
          : error.message === 'not JSON'
            ? new UcpError(422, 'profile_malformed', 'The profile is not JSON')
            : new UcpError(424, 'profile_unreachable', `The profile could not be fetched: ${error.message}`);
      }
    },
    busy: () =>
      new UcpError(503, 'unavailable', 'Too many profiles are being fetched. Retry soon.', {
        'Retry-After': '1',
      }),
  });

export type Platforms = ReturnType<typeof createPlatforms>;

/** Returns the members of a platform's profile that the service uses. @throws UcpError 422 */
function profileOf(document: unknown): PlatformProfile {
  const { ucp } = (document ?? {}) as { ucp?: { version?: unknown; capabilities?: unknown } };
  if (typeof ucp !== 'object' || !/^\d{4}-\d{2}-\d{2}$/.test(String(ucp.version)))
    throw new UcpError(422, 'profile_malformed', 'The profile has no member ucp with a version');
  const { capabilities } = ucp;
  if (typeof capabilities !== 'object' || capabilities === null)
    return { version: String(ucp.version), capabilities: null };
  const versionsOf = (entries: unknown) =>
    [entries].flat().map((entry) => String((entry as { version?: unknown } | null)?.version));
  return {
    version: String(ucp.version),
    capabilities: new Map(Object.entries(capabilities).map(([name, entries]) => [name, versionsOf(entries)])),
  };
}

/** Selects the release for a platform. @returns null if it lacks the capability in it. @throws UcpError 422 for other releases. */
export function negotiated(profile: PlatformProfile, capability: Capability): Release | null {
  const release = RELEASES.find((one) => one === profile.version);
  if (release === undefined)
    throw new UcpError(
      422,
      'version_unsupported',
      `This service implements the releases ${RELEASES.join(' and ')}, not ${profile.version}`,
    );
  return profile.capabilities?.get(capability)?.includes(release) === true ? release : null;
}
