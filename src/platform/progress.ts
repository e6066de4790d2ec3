export interface Progress {
  /** The completed share, 0 to 1; null if it is unknown. */
  share: number | null;
  /** What the operation has done so far, as text for people, such as `12,000 records`. */
  note: string;
  /** The speed as text, such as `4,000/s`. On a narrow terminal, the note is left out first. */
  rate?: string;
}

export interface ProgressDisplay {
  update(progress: Progress): void;
  /** Prints a line above the progress bar without breaking it. */
  line(text: string): void;
  stop(): void;
}
