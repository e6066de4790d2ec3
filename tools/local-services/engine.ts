export type Engine = 'elasticsearch' | 'redis';

export interface RunningEngine {
  url: string;
  way: string;
  stop(): Promise<void>;
}
