import { join } from 'node:path';
import { type Program, startProgram } from '../../tools/local-services/index.js';
import { goProgram } from '../support/go-program.js';

const SOURCES = join(import.meta.dirname, 'collector');

/**
 * Starts the OpenTelemetry collector that `collector/main.go` defines.
 * @param to the address to which it forwards the spans, by OTLP over HTTP in JSON.
 */
export async function startCollector(to: string): Promise<Program> {
  const config = (port: number) => ({
    receivers: { otlp: { protocols: { http: { endpoint: `127.0.0.1:${port}` } } } },
    exporters: { otlp_http: { endpoint: to, encoding: 'json', compression: 'none' } },
    service: {
      telemetry: { metrics: { level: 'none' } },
      pipelines: { traces: { receivers: ['otlp'], exporters: ['otlp_http'] } },
    },
  });
  return startProgram(
    await goProgram(SOURCES),
    (port) => ['--config', `yaml:${JSON.stringify(config(port))}`],
    {
      ready: '/v1/traces',
      // A request without spans, which the collector accepts and does not forward.
      asking: { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' },
    },
  );
}
