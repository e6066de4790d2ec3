import type { Perform, Requester } from '../../perform.js';
import type { UcpOperation, UcpOutcome } from './operations.js';
import { negotiated, type Platforms } from './platforms.js';
import { envelope, type Release } from './releases.js';

/** An operation with the function that runs it. */
export type Performed = UcpOperation & { perform: Perform };

/**
 * Runs an operation for a platform.
 * @param profile the URL of the platform's profile.
 * @param served the release of the endpoint. The profile may state another one.
 * @param platforms reads profiles; null: they are not read, and the platform is assumed to have the capability.
 * @returns the answer; null if the client has disconnected. @throws UcpError, or whatever the operation throws.
 */
export async function performOperation(
  { perform, capability }: Performed,
  given: { profile: string; served: Release; body: unknown },
  requester: Requester,
  platforms: Platforms | null,
): Promise<object | null> {
  const { profile, served, body } = given;
  const { address } = requester.caller;
  const release = platforms === null ? served : negotiated(await platforms.get(profile, address), capability);
  if (release === null) return INCOMPATIBLE(served);
  const answered = await perform({ body }, requester);
  if (answered === null) return null;
  const { status, ...outcome } = answered.body as UcpOutcome;
  return { ucp: { ...envelope(release, capability), ...(status && { status }) }, ...outcome };
}

const INCOMPATIBLE = (release: Release) => ({
  ucp: { version: release, status: 'error', capabilities: {} },
  messages: [
    {
      type: 'error',
      code: 'capabilities_incompatible',
      content: 'The profile of the platform does not list this capability in this release',
      severity: 'unrecoverable',
    },
  ],
});
