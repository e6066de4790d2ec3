/**
 * node kubernetes-schemas.mjs MODULE OPERATOR OUT: writes the schemas of Kubernetes objects for kubeconform,
 * which would otherwise download them. They come from the OpenAPI documents of the Kubernetes API in the Go
 * module sigs.k8s.io/kubectl-validate; those of PodMonitor and PrometheusRule come from the module of the
 * Prometheus operator. Like `kubectl --validate=strict`, they reject unknown fields.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const VERSION = '1.30';

const [module, operator, out] = process.argv.slice(2);
const folder = join(module, 'pkg/openapiclient/builtins', VERSION);
mkdirSync(out, { recursive: true });

/** Objects with named fields must not have other fields; a quantity may be a number or a text. */
function strict(schema) {
  if (Array.isArray(schema)) return schema.map(strict);
  if (typeof schema !== 'object' || schema === null) return schema;
  if (schema['x-kubernetes-int-or-string'] || schema.format === 'int-or-string')
    return { type: ['string', 'integer', 'null'] };
  const { default: _default, description: _description, format: _format, ...rest } = schema;
  const changed = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, strict(value)]));
  return schema.type === 'object' && schema.properties !== undefined && typeof schema.properties === 'object'
    ? { ...changed, additionalProperties: false }
    : changed;
}

for (const file of readdirSync(folder, { recursive: true })) {
  if (!file.endsWith('.json')) continue;
  const { components } = JSON.parse(readFileSync(join(folder, file), 'utf8'));
  const schemas = Object.fromEntries(
    Object.entries(components.schemas).map(([name, schema]) => [
      name,
      // This schema is an exception, because it describes schemas, and one of its fields is named like a
      // keyword.
      name.includes('JSONSchemaProps') ? {} : strict(schema),
    ]),
  );
  for (const [name, schema] of Object.entries(components.schemas)) {
    const kinds = schema['x-kubernetes-group-version-kind'] ?? [];
    for (const { group, version, kind } of kinds.length === 1 ? kinds : []) {
      const suffix = [group.split('.')[0], version].filter(Boolean).join('-');
      const text = JSON.stringify({ $ref: `#/components/schemas/${name}`, components: { schemas } });
      writeFileSync(join(out, `${kind.toLowerCase()}-${suffix}.json`), text);
    }
  }
}

for (const plural of ['podmonitors', 'prometheusrules']) {
  const file = join(operator, `example/prometheus-operator-crd/monitoring.coreos.com_${plural}.yaml`);
  const { group, names, versions } = parse(readFileSync(file, 'utf8')).spec;
  for (const { name, schema } of versions) {
    const to = `${names.kind.toLowerCase()}-${group.split('.')[0]}-${name}.json`;
    writeFileSync(join(out, to), JSON.stringify(strict(schema.openAPIV3Schema)));
  }
}
