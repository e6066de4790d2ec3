import { Backoff } from '../../engine/backoff.js';
import { engineFailure } from '../../engine/errors.js';
import type { ChangePage, ReadOptions } from './change.js';
import type { ChangeFeed, Visible } from './change-feed.js';
import type { ChangePosition } from './position.js';

/** After how long without changes an empty page is yielded, in milliseconds. */
const IDLE_MS = 10_000;

interface FollowOptions {
  read: ReadOptions;
  signal: AbortSignal;
  /** Whether to wait for further changes after the last page. */
  follow: boolean;
  /** Receives a note for the operator before each pause while the engine is unavailable. */
  onWait: (note: string) => void;
}

/**
 * Yields page after page of the changes after a position, and an empty one, with its position, every ten seconds without any.
 * @throws PositionError as `ChangeFeed.read`; EngineUnavailableError after ten minutes without the engine.
 */
export async function* followChanges(
  feed: ChangeFeed,
  start: ChangePosition,
  { read, signal, follow, onWait }: FollowOptions,
): AsyncGenerator<ChangePage> {
  const backoff = new Backoff({ onWait, signal });
  const isGone = () => signal.aborted;
  let position = start;
  let visible: Visible | null = null;
  while (!isGone()) {
    let page: ChangePage;
    try {
      page = await feed.read(position, read, undefined, visible);
    } catch (error) {
      if (engineFailure(error) === null) throw error;
      await backoff.wait((error as Error).message);
      continue;
    } finally {
      visible = null;
    }
    backoff.reset();
    ({ position } = page);
    yield page;
    if (page.hasMore) continue;
    if (!follow) return;
    visible = await feed.untilBehind(position, { withinMs: IDLE_MS, isGone });
  }
}
