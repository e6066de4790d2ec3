/**
 * Preloaded with `node --import`: makes the packages of OpenTelemetry that create and send spans unavailable
 * to the process.
 */
import { register } from 'node:module';

const hooks = `export function resolve(name, context, next) {
  if (/^@opentelemetry\\/(exporter-|resources$|sdk-)/.test(name)) throw new Error(name + ' is not to be loaded');
  return next(name, context);
}`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
