export type Engine = 'elasticsearch' | 'redis';

/** A running Elasticsearch or Redis, and a text that says how it was found or started. */
export interface RunningEngine {
  url: string;
  way: string;
  stop(): Promise<void>;
}
