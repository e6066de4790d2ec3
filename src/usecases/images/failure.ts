/** Why there is no image to see, in words for the operator: they are counted and stored, and never reach a client. */
export type FailureReason =
  | 'URL is not http or https, or holds a login'
  | 'port not allowed'
  | 'address not allowed'
  | 'host not found'
  | 'connection failed'
  | 'timeout'
  | 'too many redirects'
  | 'redirect without a target'
  | 'too large'
  | `HTTP ${number}`
  | 'not an image'
  | 'too many pixels'
  | 'blank image'
  | 'too slow to decode'
  | 'too much for the decoder';

/** What cost a process its life is not tried a second time. */
export const isHarmful = (failure: string | null): boolean =>
  failure === 'too slow to decode' || failure === 'too much for the decoder';

/** An image that cannot be had. Expected with every catalogue; anything else that is thrown is a mistake of ours. */
export class ImageFailure extends Error {
  override name = 'ImageFailure';

  constructor(
    readonly reason: FailureReason,
    options?: ErrorOptions,
  ) {
    super(reason, options);
  }
}
