import type { Logger } from './logger.js';

/** Beyond it the log warns: two instances that are this far off in opposite directions still take each other's tokens. */
export const MAX_OFFSET_SECONDS = 2;

/** A probe that took longer says nothing about the clock: when in between Redis read its own is not known. */
const LONGEST_PROBE_MS = 200;

/** How far this instance's clock is from Redis's, which all instances share. */
export class ClockOffset {
  /** This instance's clock minus Redis's; null: not measured yet. */
  seconds: number | null = null;
  private isWrong = false;

  constructor(private readonly logger?: Logger) {}

  /**
   * Takes in a probe.
   * @param sentAt this instance's time when Redis was asked for its own, ms since 1970.
   * @param tookMs until the answer came.
   * @param redisAt the answer, ms since 1970.
   */
  measured({ sentAt, tookMs, redisAt }: { sentAt: number; tookMs: number; redisAt: number }): void {
    if (tookMs > LONGEST_PROBE_MS) return;
    this.seconds = (sentAt + tookMs / 2 - redisAt) / 1_000;
    const isWrong = Math.abs(this.seconds) > MAX_OFFSET_SECONDS;
    if (isWrong === this.isWrong) return;
    this.isWrong = isWrong;
    const catalog = { clock_offset_seconds: Math.round(this.seconds * 1_000) / 1_000 };
    if (isWrong) this.logger?.warn("This instance's clock differs from that of Redis", { catalog });
    else this.logger?.info("This instance's clock agrees with that of Redis again", { catalog });
  }
}
