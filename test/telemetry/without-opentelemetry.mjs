/** For `node --import`: a process in which the packages of OpenTelemetry that make and send spans cannot be loaded. */
import { register } from 'node:module';

const hooks = `export function resolve(name, context, next) {
  if (/^@opentelemetry\\/(exporter-|resources$|sdk-)/.test(name)) throw new Error(name + ' is not to be loaded');
  return next(name, context);
}`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
