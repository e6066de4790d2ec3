export type Engine = 'elasticsearch' | 'redis';

/** An engine that answers, and the words for how it was come by. */
export interface RunningEngine {
  url: string;
  way: string;
  stop(): Promise<void>;
}
