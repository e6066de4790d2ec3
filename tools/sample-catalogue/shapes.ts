import { readTable } from './tables.js';

/** A drawing command: its letter, its numbers or path, and its paint. */
export interface Stroke {
  kind: string;
  values: readonly string[];
  paint: string;
}

/** The drawing commands of each product type. */
export const SHAPES: ReadonlyMap<string, readonly Stroke[]> = new Map(
  Object.entries(readTable<Record<string, string>>('shapes')).map(([id, strokes]) => [
    id,
    strokes.split('; ').map(stroke),
  ]),
);

function stroke(text: string): Stroke {
  const [kind = '', ...rest] = text.split(' ');
  return { kind, values: rest.slice(0, -1), paint: rest.at(-1) ?? '' };
}
