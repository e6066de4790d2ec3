import { parse, View } from 'vega';
import { compile, type TopLevelSpec } from 'vega-lite';

/** One point of a line. */
export interface Point {
  x: number;
  y: number;
  line: string;
}

/** Lines over a logarithmic x axis, as SVG. Both axes begin where their data does. */
export async function linePlot(
  points: readonly Point[],
  { title, x, y, logarithmicY = false }: { title: string; x: string; y: string; logarithmicY?: boolean },
): Promise<string> {
  const spec: TopLevelSpec = {
    $schema: 'https://vega.github.io/schema/vega-lite/v5.json',
    title,
    width: 560,
    height: 320,
    data: { values: [...points] },
    mark: { type: 'line', point: true },
    encoding: {
      x: {
        field: 'x',
        type: 'quantitative',
        title: x,
        scale: { type: 'log', nice: false },
        axis: { values: [...new Set(points.map((point) => point.x))], format: '~s' },
      },
      y: {
        field: 'y',
        type: 'quantitative',
        title: y,
        scale: { type: logarithmicY ? 'log' : 'linear' },
        axis: { format: '~s' },
      },
      color: { field: 'line', type: 'nominal', title: null, scale: { scheme: 'tableau10' } },
    },
    config: { font: 'sans-serif' },
  };
  return new View(parse(compile(spec).spec), { renderer: 'none' }).toSVG();
}
