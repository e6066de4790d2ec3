import { STATUS_CODES } from 'node:http';
import type { JsonObject } from '../../schemas/json-object.js';

type Sections = 'parameters' | 'headers' | 'responses';

/** A part of an operation that several operations may have: its section, the name it should get, and how to replace it. */
interface Part {
  section: Sections;
  name: string;
  /** The operation from which the part comes. It is added to the names of different parts that would have the same name. */
  operationId: string;
  value: JsonObject;
  replace: (reference: JsonObject) => void;
}

/**
 * Moves parameters, headers and responses that several operations have to the components of an OpenAPI document, so that each
 * is stated once.
 * @returns the components by section. The operations in `paths` are changed.
 */
export function shareComponents(paths: Record<string, JsonObject>): Record<Sections, JsonObject> {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods) as JsonObject[]);
  const components: Record<Sections, JsonObject> = { parameters: {}, headers: {}, responses: {} };
  // Headers come first, because responses contain them.
  for (const partsOf of [headersOf, responsesOf, parametersOf])
    shareParts(operations.flatMap(partsOf), components);
  return components;
}

function shareParts(parts: readonly Part[], components: Record<Sections, JsonObject>): void {
  const byText = new Map<string, Part[]>();
  for (const part of parts) {
    const text = JSON.stringify(part.value);
    byText.set(text, [...(byText.get(text) ?? []), part]);
  }
  for (const [first, ...others] of byText.values()) {
    if (first === undefined || others.length === 0) continue;
    const { section, name, operationId, value } = first;
    const shared = components[section];
    const key = name in shared ? `${name}-${operationId}` : name;
    shared[key] = value;
    for (const { replace } of [first, ...others]) replace({ $ref: `#/components/${section}/${key}` });
  }
}

const parametersOf = (operation: JsonObject): Part[] =>
  (operation['parameters'] as JsonObject[]).map((value, at, all) => ({
    section: 'parameters',
    name: `${String(value['in'])}-${String(value['name'])}`,
    operationId: String(operation['operationId']),
    value,
    replace: (reference) => (all[at] = reference),
  }));

const responsesOf = (operation: JsonObject): Part[] =>
  membersOf(operation['responses'] as Record<string, JsonObject>, operation, 'responses', (status) =>
    (STATUS_CODES[status] ?? status).replaceAll(/\W/g, ''),
  );

const headersOf = (operation: JsonObject): Part[] =>
  Object.values(operation['responses'] as Record<string, JsonObject>).flatMap(({ headers = {} }) =>
    membersOf(headers as Record<string, JsonObject>, operation, 'headers', (name) => name),
  );

const membersOf = (
  members: Record<string, JsonObject>,
  { operationId }: JsonObject,
  section: Sections,
  nameOf: (key: string) => string,
): Part[] =>
  Object.entries(members).map(([key, value]) => ({
    section,
    name: nameOf(key),
    operationId: String(operationId),
    value,
    replace: (reference) => (members[key] = reference),
  }));

/**
 * States members that several object schemas have in one component, from which these schemas are derived.
 * @param schemas the schemas by name, of which those that have all members are replaced, unless the component is one of them.
 */
export function shareMembers(
  schemas: JsonObject,
  { name, description, members }: { name: string; description?: string; members: readonly string[] },
): void {
  const extending = Object.entries(schemas as Record<string, ObjectSchema>).filter(
    ([key, { properties = {} }]) => key !== name && members.every((member) => member in properties),
  );
  const [, first = {}] = extending[0] ?? [];
  const isRequired = (member: string) =>
    extending.every(([, { required = [] }]) => required.includes(member));
  const always = members.filter(isRequired);
  schemas[name] ??= {
    type: 'object',
    description,
    properties: Object.fromEntries(members.map((member) => [member, first.properties?.[member]])),
    ...(always.length === 0 ? {} : { required: always }),
  };
  for (const [extended, { type, properties = {}, required = [], ...schema }] of extending) {
    const own = Object.entries(properties).filter(([member]) => !members.includes(member));
    const also = required.filter((member) => !always.includes(member));
    const extension = { type, properties: Object.fromEntries(own), required: also };
    schemas[extended] = { ...schema, allOf: [{ $ref: `#/components/schemas/${name}` }, extension] };
  }
}

/**
 * States in one component which members of another one are always present, for the schemas that require them all.
 * @param schemas the schemas by name, after `shareMembers` created the component `of`.
 */
export function shareRequired(
  schemas: JsonObject,
  {
    name,
    description,
    of,
    members,
  }: { name: string; description: string; of: string; members: readonly string[] },
): void {
  const base = { $ref: `#/components/schemas/${of}` };
  for (const { allOf: [reference, extension] = [] } of Object.values(schemas as Record<string, Derived>)) {
    if (reference?.$ref !== base.$ref || extension === undefined) continue;
    const required = new Set([
      ...((schemas[of] as ObjectSchema).required ?? []),
      ...(extension.required ?? []),
    ]);
    if (!members.every((member) => required.has(member))) continue;
    reference.$ref = `#/components/schemas/${name}`;
    extension.required = (extension.required ?? []).filter((member) => !members.includes(member));
  }
  schemas[name] = { description, allOf: [base, { type: 'object', required: members }] };
}

interface ObjectSchema extends JsonObject {
  properties?: JsonObject;
  required?: string[];
}

interface Derived extends JsonObject {
  allOf?: [{ $ref: string }, ObjectSchema];
}
