import { isJsonObject, type JsonObject } from '../../schemas/json-object.js';
import type { FeedItem } from './item.js';

/** The member of a nested record that contains the members of the object around it. */
export const PARENT = '@parent';

/**
 * The records in an array within an element, such as the variants of a product. Each has the rest of the element as `@parent`.
 * @param path the names that lead to the array. Arrays on the way are followed: their elements are then the parents.
 */
export function nestedRecords(item: FeedItem, path: string): FeedItem[] {
  const found = [...recordsIn(item.value, path.split('.'))];
  const base = { ...item, bytes: Math.ceil(item.bytes / Math.max(found.length, 1)) };
  return found.map((record) =>
    record === NONE
      ? { line: item.line, bytes: base.bytes, raw: item.raw, error: `record: has no array at ${path}` }
      : { ...base, raw: record, value: record },
  );
}

const NONE = Symbol('no array');

function* recordsIn(element: unknown, path: readonly string[], outer?: JsonObject): Iterable<unknown> {
  let inner = element;
  let depth = 0;
  while (isJsonObject(inner) && depth < path.length) inner = inner[path[depth++] ?? ''];
  if (!isJsonObject(element) || !Array.isArray(inner)) return yield NONE;
  const members = without(element, path.slice(0, depth));
  const parent = outer === undefined ? members : { ...members, [PARENT]: outer };
  for (const one of inner as unknown[]) {
    if (depth < path.length) yield* recordsIn(one, path.slice(depth), parent);
    else yield isJsonObject(one) ? { ...one, [PARENT]: parent } : one;
  }
}

function without(value: JsonObject, [name = '', ...path]: readonly string[]): JsonObject {
  const { [name]: inner, ...members } = value;
  return isJsonObject(inner) ? { ...members, [name]: without(inner, path) } : members;
}
