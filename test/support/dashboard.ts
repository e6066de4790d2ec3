import { parser } from '@prometheus-io/lezer-promql';
import type { GrafanaPanel, GrafanaRow } from '../../tools/grafana.js';

export const panelsOf = (rows: GrafanaRow[]): GrafanaPanel[] => rows.flatMap(({ panels }) => panels);

/** The names of the metrics in a PromQL query. @throws Error if it is invalid. */
export function metricsOf(expr: string): string[] {
  const names: string[] = [];
  parser.parse(expr.replaceAll('$__rate_interval', '1m')).iterate({
    enter({ type, from, to }) {
      if (type.isError) throw new Error(`no PromQL: ${expr}`);
      if (type.name === 'VectorSelector')
        names.push(expr.replaceAll('$__rate_interval', '1m').slice(from, to).replace(/\{.*/s, ''));
    },
  });
  return names;
}
