/** How far a long operation is. */
export interface Progress {
  /** The completed share, from 0 to 1; null if it is unknown. */
  share: number | null;
  /** What was done so far, for people: `12,000 records`. */
  note: string;
  /** The rate: `4,000/s`. On a narrow terminal, the note is dropped before the rate. */
  rate?: string;
}

/** Shows the progress of one operation to the operator. */
export interface ProgressDisplay {
  update(progress: Progress): void;
  /** Prints a line of its own without breaking the progress bar. */
  line(text: string): void;
  /** Removes the progress bar. */
  stop(): void;
}
