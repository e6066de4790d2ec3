import { STATUS_CODES } from 'node:http';
import type { JsonObject } from '../../schemas/json-object.js';

interface Operation {
  operationId: string;
  parameters: { in: string; name: string }[];
  responses: Record<string, { headers?: object }>;
}

/** A parameter, header or response of an operation, and the name of the component if other operations define the same. */
interface Place {
  holder: Record<string, unknown>;
  key: string;
  name: string;
  operationId: string;
}

/** Moves what several operations have to components, so that each is stated once. @returns them by section; `paths` is changed. */
export function shareComponents(paths: Record<string, JsonObject>) {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods) as Operation[]);
  // Headers are moved to components first, because the responses that contain them are compared as text.
  const headers = share(
    'headers',
    operations.flatMap(({ operationId, responses }) =>
      Object.values(responses).flatMap(({ headers: own = {} }) => placesIn(own, operationId, (name) => name)),
    ),
  );
  const responses = share(
    'responses',
    operations.flatMap(({ operationId, responses: own }) =>
      placesIn(own, operationId, (status) => (STATUS_CODES[status] ?? status).replaceAll(/\W/g, '')),
    ),
  );
  const parameters = share(
    'parameters',
    operations.flatMap(({ operationId, parameters: own }) =>
      placesIn(own, operationId, (at) => `${own[Number(at)]?.in}-${own[Number(at)]?.name}`),
    ),
  );
  return { parameters, headers, responses };
}

const placesIn = (holder: object, operationId: string, nameOf: (key: string) => string): Place[] =>
  Object.keys(holder).map((key) => ({
    holder: holder as Place['holder'],
    key,
    name: nameOf(key),
    operationId,
  }));

/** Replaces equal definitions in several places by references. @returns the components that the references name. */
function share(section: string, places: readonly Place[]): JsonObject {
  const byText = new Map<string, Place[]>();
  for (const place of places) {
    const text = JSON.stringify(place.holder[place.key]);
    byText.set(text, [...(byText.get(text) ?? []), place]);
  }
  const shared: JsonObject = {};
  for (const [first, ...others] of byText.values()) {
    if (first === undefined || others.length === 0) continue;
    // A name that another component has already gets the id of an operation as well.
    const name = first.name in shared ? `${first.name}-${first.operationId}` : first.name;
    shared[name] = first.holder[first.key];
    for (const { holder, key } of [first, ...others])
      holder[key] = { $ref: `#/components/${section}/${name}` };
  }
  return shared;
}

/** States members that schemas have in one component, from which they are derived. @param schemas by name; those with all are replaced. */
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

/** States in one component which members of the component `of` are always present, for the schemas that require them all. */
export function shareRequired(
  schemas: JsonObject,
  shared: { name: string; description: string; of: string; members: readonly string[] },
): void {
  const { name, description, of, members } = shared;
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
