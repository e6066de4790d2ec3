import { readTable } from './tables.js';

export interface Stroke {
  kind: string;
  values: readonly string[];
  paint: string;
}

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
