import { setTimeout as sleep } from 'node:timers/promises';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import type { Config } from '../platform/config/config.js';
import { SERVICE_NAME, SERVICE_VERSION } from '../platform/version.js';
import type { Wait } from './dependency-timings.js';
import { loggable, type Logger } from './logger.js';
import { redactPath, type Redact } from './redact.js';
import type { Observer, RequestRecord } from './request-record.js';
import { newSpanId } from './trace-context.js';

interface Tracing extends Observer {
  stop(withinMs: number): Promise<void>;
}

type TracingOptions = NonNullable<Config['traces']>;

/** Exports spans. At most 2,048 wait; further ones are dropped while the collector is unavailable, which is logged once. */
export async function startTracing(
  { url, headers, ratio }: TracingOptions,
  { environment, logger, redact }: { environment: string; logger: Logger; redact: Redact },
): Promise<Tracing> {
  const [{ OTLPTraceExporter }, { BatchSpanProcessor }, { resourceFromAttributes }] = await Promise.all([
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/resources'),
  ]);
  const exporter = new OTLPTraceExporter({ url, headers });
  let failing = false;
  const processor = new BatchSpanProcessor({
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
  const resource = resourceFromAttributes({
    'service.name': SERVICE_NAME,
    'service.version': SERVICE_VERSION,
    'deployment.environment.name': environment,
  });
  return {
    traceRatio: ratio,
    ended(record) {
      if (!record.trace.isSampled || record.endpoint?.probe === true) return;
      for (const span of spansOf(record, redact)) processor.onEnd({ ...span, resource });
    },
    async stop(withinMs) {
      const late = sleep(withinMs, undefined, { ref: false });
      await Promise.race([processor.shutdown().catch(() => undefined), late]);
    },
  };
}

type Span = Omit<ReadableSpan, 'resource'>;

// Numeric constants of OpenTelemetry for kinds and statuses of spans.
const SERVER = 1;
const CLIENT = 2;
const UNSET = 0;
const ERROR = 2;
const SAMPLED = 1;

/** The spans of a request and of its waits for dependencies, without query, body, header or address. */
function spansOf(record: RequestRecord, redact: Redact): Span[] {
  const { method, route, status, path, key, timings, at, trace } = record;
  const { traceId, spanId, parentId } = trace;
  const time = (monotonic: number): [number, number] => {
    const ms = at.getTime() + monotonic - trace.began;
    const seconds = Math.floor(ms / 1_000);
    return [seconds, Math.round((ms - seconds * 1_000) * 1e6)];
  };
  const request = span({
    traceId,
    spanId,
    parentId,
    isRemote: true,
    kind: SERVER,
    name: `${method} ${route}`,
    startTime: time(trace.began),
    endTime: time(trace.began + record.duration),
    failed: status >= 500,
    attributes: {
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': status,
      'url.path': redactPath(path, redact),
      'catalog.request.id': redact(record.requestId),
      ...(key === null ? {} : { 'catalog.key.id': key.id, 'catalog.key.tier': key.tier }),
      ...(status < 500 ? {} : { 'error.type': String(status) }),
    },
  });
  const waits = (timings.waits ?? []).map((wait: Wait) =>
    span({
      traceId,
      spanId: newSpanId(),
      parentId: spanId,
      isRemote: false,
      kind: CLIENT,
      name: `${wait.of} ${wait.operation}`,
      startTime: time(wait.began),
      endTime: time(wait.ended),
      failed: wait.failed,
      attributes: { 'db.system.name': wait.of, 'db.operation.name': wait.operation },
    }),
  );
  return [request, ...waits];
}

interface SpanParts extends Pick<Span, 'kind' | 'name' | 'startTime' | 'endTime' | 'attributes'> {
  traceId: string;
  spanId: string;
  parentId: string | null;
  isRemote: boolean;
  failed: boolean;
}

function span({ traceId, spanId, parentId, isRemote, failed, ...parts }: SpanParts): Span {
  const { startTime: start, endTime: end } = parts;
  const took = (end[0] - start[0]) * 1e9 + end[1] - start[1];
  return {
    ...parts,
    ended: true,
    duration: [Math.floor(took / 1e9), took % 1e9],
    spanContext: () => ({ traceId, spanId, traceFlags: SAMPLED }),
    ...(parentId === null
      ? {}
      : { parentSpanContext: { traceId, spanId: parentId, traceFlags: SAMPLED, isRemote } }),
    status: { code: failed ? ERROR : UNSET },
    instrumentationScope: { name: SERVICE_NAME, version: SERVICE_VERSION },
    links: [],
    events: [],
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}
