/** Why an image has no hash. The reasons are stored and counted for the operator, and never returned to clients. */
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

/** Whether an image crashed or blocked the decoder process. Such an image is not tried again. */
export const isHarmful = (failure: string | null): boolean =>
  failure === 'too slow to decode' || failure === 'too much for the decoder';

/** The error for an image that cannot be downloaded or decoded, which is expected. Any other error is a bug. */
export class ImageFailure extends Error {
  override name = 'ImageFailure';

  constructor(
    readonly reason: FailureReason,
    options?: ErrorOptions,
  ) {
    super(reason, options);
  }
}
