/** An operation failed for a reason that the operator can act on. The message states the reason. */
export class OperationError extends Error {
  override name = 'OperationError';
}

/** An operation stopped because continuing would have done harm, such as losing listings. */
export class StoppedError extends OperationError {
  override name = 'StoppedError';
}
