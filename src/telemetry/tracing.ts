import { setTimeout as sleep } from 'node:timers/promises';
// The Elasticsearch client loads this package at the start, and the other packages are loaded only if they are needed.
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Tracer } from '@opentelemetry/api';
import type { Config } from '../platform/config/config.js';
import { SERVICE_NAME, SERVICE_VERSION } from '../platform/version.js';
import { loggable, type Logger } from './logger.js';
import { redactPath, type Redact } from './redact.js';
import type { Observer, RequestRecord } from './request-record.js';
import { newSpanId } from './trace-context.js';

interface Tracing extends Observer {
  stop(withinMs: number): Promise<void>;
}

type TracingOptions = NonNullable<Config['traces']>;

interface SpanTools {
  tracer: Tracer;
  /** The ids of the next span, which the tracer reads. */
  ids: { traceId: string; spanId: string };
  redact: Redact;
}

/** Exports spans. At most 2,048 wait; further ones are dropped while the collector is unavailable, which is logged once. */
export async function startTracing(
  { url, headers, ratio }: TracingOptions,
  { environment, logger, redact }: { environment: string; logger: Logger; redact: Redact },
): Promise<Tracing> {
  const [{ OTLPTraceExporter }, sdk, { resourceFromAttributes }] = await Promise.all([
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/resources'),
  ]);
  const exporter = new OTLPTraceExporter({ url, headers });
  let failing = false;
  const processor = new sdk.BatchSpanProcessor({
    export(spans, done) {
      exporter.export(spans, (result) => {
        const failed = result.code !== 0;
        if (failed && !failing) logger.warn('spans cannot be sent now', loggable(result.error ?? 'unknown'));
        if (!failed && failing) logger.info('spans are sent again');
        failing = failed;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush(),
  });
  const ids = { traceId: '', spanId: '' };
  const provider = new sdk.BasicTracerProvider({
    resource: resourceFromAttributes({
      'service.name': SERVICE_NAME,
      'service.version': SERVICE_VERSION,
      'deployment.environment.name': environment,
    }),
    // The ids of a request were chosen when it arrived, as was whether its trace is sampled.
    idGenerator: { generateTraceId: () => ids.traceId, generateSpanId: () => ids.spanId },
    sampler: new sdk.AlwaysOnSampler(),
    spanProcessors: [processor],
  });
  const tracer = provider.getTracer(SERVICE_NAME, SERVICE_VERSION);
  return {
    traceRatio: ratio,
    ended(record) {
      if (record.trace.isSampled && record.endpoint?.probe !== true)
        exportSpans(record, { tracer, ids, redact });
    },
    async stop(withinMs) {
      const late = sleep(withinMs, undefined, { ref: false });
      await Promise.race([processor.shutdown().catch(() => undefined), late]);
    },
  };
}

/** Exports the spans of a request and of its waits for dependencies, without query, body, header or address. */
function exportSpans(record: RequestRecord, { tracer, ids, redact }: SpanTools): void {
  const { method, route, status, path, key, timings, at, duration } = record;
  const { traceId, spanId, parentId, began } = record.trace;
  const time = (monotonic: number): [number, number] => {
    const ms = at.getTime() + monotonic - began;
    const seconds = Math.floor(ms / 1_000);
    return [seconds, Math.round((ms - seconds * 1_000) * 1e6)];
  };
  const within = (parent: string, isRemote: boolean) =>
    trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId: parent, traceFlags: 1, isRemote });
  Object.assign(ids, { traceId, spanId });
  const attributes = {
    'http.request.method': method,
    'http.route': route,
    'http.response.status_code': status,
    'url.path': redactPath(path, redact),
    'catalog.request.id': redact(record.requestId),
    ...(key === null ? {} : { 'catalog.key.id': key.id, 'catalog.key.tier': key.tier }),
    ...(status < 500 ? {} : { 'error.type': String(status) }),
  };
  const options = { kind: SpanKind.SERVER, startTime: time(began), attributes };
  const request = tracer.startSpan(
    `${method} ${route}`,
    options,
    parentId === null ? ROOT_CONTEXT : within(parentId, true),
  );
  if (status >= 500) request.setStatus({ code: SpanStatusCode.ERROR });
  request.end(time(began + duration));
  for (const wait of timings.waits ?? []) {
    ids.spanId = newSpanId();
    const span = tracer.startSpan(
      `${wait.of} ${wait.operation}`,
      {
        kind: SpanKind.CLIENT,
        startTime: time(wait.began),
        attributes: { 'db.system.name': wait.of, 'db.operation.name': wait.operation },
      },
      within(spanId, false),
    );
    if (wait.failed) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(time(wait.ended));
  }
}
