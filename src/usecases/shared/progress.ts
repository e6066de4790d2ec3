export interface Progress {
  /** The completed share of the operation, 0 to 1; null if it is unknown. */
  share: number | null;
  /** What the operation has done so far, for people: `12,000 records`. */
  note: string;
  /** The speed of the operation: `4,000/s`. On a narrow terminal, the note is dropped before the speed. */
  rate?: string;
}

export interface ProgressDisplay {
  update(progress: Progress): void;
  /** Prints a line above the progress bar without breaking it. */
  line(text: string): void;
  stop(): void;
}
