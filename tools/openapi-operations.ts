import type { JsonObject } from '../src/schemas/json-object.js';

type Parts = Record<string, JsonObject>;

/** An operation of an OpenAPI document, with the shared parameters, responses and headers in place of references to them. */
interface ResolvedOperation {
  path: string;
  method: string;
  operation: JsonObject;
}

/** Returns the operations of an OpenAPI document in its order. References to schemas remain. */
export function resolvedOperations(document: JsonObject): ResolvedOperation[] {
  const { parameters, responses, headers } = document['components'] as Record<string, Parts | undefined>;
  const sections: Record<string, Parts | undefined> = { parameters, responses, headers };
  const resolve = (part: JsonObject): JsonObject => {
    const [, section = '', key = ''] = /^#\/components\/(\w+)\/(.*)$/.exec(String(part['$ref'])) ?? [];
    return sections[section]?.[key] ?? part;
  };
  const resolveAll = (parts: Parts): Parts =>
    Object.fromEntries(Object.entries(parts).map(([key, part]) => [key, resolve(part)]));
  const responsesOf = ({ responses: stated }: JsonObject): Parts =>
    Object.fromEntries(
      Object.entries(resolveAll(stated as Parts)).map(([status, { headers: given, ...response }]) => [
        status,
        given === undefined ? response : { ...response, headers: resolveAll(given as Parts) },
      ]),
    );
  return Object.entries(document['paths'] as Record<string, Parts>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const given = (operation['parameters'] as JsonObject[]).map(resolve);
      return {
        path,
        method,
        operation: { ...operation, parameters: given, responses: responsesOf(operation) },
      };
    }),
  );
}
