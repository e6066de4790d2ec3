import { type TObject, type TProperties, type TSchema, Type } from 'typebox';
import type { EndpointInput } from '../../perform.js';
import { endpoints } from '../../routes/index.js';

/** The arguments of a tool call. The tool knows their names; the endpoint validates their values. */
export type ToolArguments = Record<string, unknown>;

/** A tool call that is suggested to an agent, which can make it without changes. */
export interface ToolCall {
  name: string;
  arguments: ToolArguments;
}

/** The API as tools use it: with the rights of the client, but without HTTP. */
export interface Api {
  /** Calls an endpoint, such as `GET /v1/search`. Texts of the response contain no control characters. @throws ApiError */
  call<Body>(operation: string, input: EndpointInput): Promise<Body>;
  now: Date;
}

export interface ToolResult {
  structured: object;
  lines: string[];
  /** The text of the result instead of `lines`, for clients that expect the result in a prescribed form. */
  text?: string;
  ids?: readonly number[];
  /** The reason why the result has no items, if it has none. A call that finds some is then suggested. */
  empty?: string;
  /** Arguments of the same tool with which it finds something, if they are known. */
  instead?: ToolArguments;
  /** If there is no single result: the reason, and a call that finds something. `lines` are the listings that may be meant. */
  failed?: { message: string; call: ToolCall };
}

export interface Tool {
  name: string;
  title: string;
  description: string;
  input: { type: 'object'; properties: Record<string, TSchema>; required?: readonly string[] };
  output: TSchema;
  /** For a tool that changes something: arguments with which it changes nothing. They are suggested after an error. */
  safeCall?: ToolArguments;
  needsOneOf?: readonly string[];
  /** The arguments whose name differs from that of the endpoint's parameter, by the parameter. */
  aliases?: Readonly<Record<string, string>>;
  /** Whether hosts that show pages in conversations show the result as a plot. */
  showsPrices?: true;
  run(args: ToolArguments, api: Api): Promise<ToolResult>;
}

/**
 * The members of an object by name. A text describes the endpoint's member of this name: empty for no description, null for the first
 * clause of the endpoint's. A schema defines a member that the endpoint does not have.
 */
export type Members = Record<string, string | null | TSchema>;

/** Returns members of the endpoint that are derived without their descriptions. @param names their names, separated by blanks. */
export const bare = (names: string): Members =>
  Object.fromEntries(names.split(' ').map((name) => [name, '']));

/** All parameters of an endpoint by name, in its path, query and body. @throws Error at start-up without the endpoint. */
function parametersOf(operation: string): { path: TObject; query: TObject; body: TObject } {
  const found = endpoints.find(({ method, path }) => `${method.toUpperCase()} ${path}` === operation);
  if (found === undefined) throw new Error(`no endpoint ${operation}`);
  return { path: found.pathParameters, query: found.query, body: found.body ?? Type.Object({}) };
}

/** Creates the input schema of a tool from the parameters of its endpoint and from arguments of its own. */
export function argumentsOf(operation: string, given: Members): TObject {
  const { path, query, body } = parametersOf(operation);
  const parameters = [body, query, path].flatMap(({ properties }) => Object.entries(properties));
  const required = [path, query, body].flatMap((one) => one.required as string[] | undefined) ?? [];
  return Type.Object(derived({ properties: Object.fromEntries(parameters), required }, given));
}

/** Derives members of an endpoint without examples and limits, to keep `tools/list` small. @throws Error at start-up for a wrong name. */
export function derived(from: { properties: TProperties; required?: readonly unknown[] }, given: Members) {
  const members = Object.entries(given).map(([name, text]): [string, TSchema] => {
    if (typeof text === 'object' && text !== null) return [name, text];
    const schema = from.properties[name];
    if (schema === undefined) throw new Error(`no member ${name}`);
    const short = brief(schema, text);
    return [name, from.required?.includes(name) === true ? short : Type.Optional(short)];
  });
  return Object.fromEntries(members) as TProperties;
}

const LEFT_OUT =
  '$id separators examples pattern minLength maxLength maxItems minimum maximum const format x-go-type'.split(
    ' ',
  );

function brief(schema: TSchema, text: string | null): TSchema {
  const { description, documented, items, ...rest } = schema as {
    [name: string]: unknown;
    description?: string;
  };
  const relevant = Object.entries({ ...rest, ...(documented as object | undefined) }).filter(
    ([name, value]) =>
      !LEFT_OUT.includes(name) &&
      !(name === 'default' && typeof value !== 'number') &&
      name !== 'description',
  );
  const [clause = ''] = text === null ? (description?.split(/(?<=[^.])[;.] /, 1) ?? []) : [text];
  return {
    ...Object.fromEntries(relevant),
    ...(items === undefined ? {} : { items: brief(items as TSchema, '') }),
    ...(clause === '' ? {} : { description: clause }),
  } as TSchema;
}

/** Calls an endpoint with those arguments of a tool that are its parameters, without null and absent ones. */
export function ask<Body>({ call }: Api, operation: string, args: ToolArguments): Promise<Body> {
  const { path, query, body } = parametersOf(operation);
  const given = Object.entries(args).filter(([, value]) => value !== undefined && value !== null);
  const named = ({ properties }: TObject, convert: (value: unknown, schema: TSchema) => unknown) =>
    Object.fromEntries(
      given.flatMap(([name, value]) => {
        const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
        return schema === undefined ? [] : [[name, convert(value, schema)]];
      }),
    );
  return call<Body>(operation, {
    path: named(path, asText) as Record<string, string>,
    query: { ...(named(query, asText) as Record<string, string>), ...attributesAsText(args) },
    body: named(body, asNumbers),
  });
}

const asText = (value: unknown, schema: { separators?: string } = {}): string =>
  Array.isArray(value)
    ? value.join(schema.separators?.[0] ?? '|')
    : String(value as string | number | boolean);

/** The argument of tools that filter by attributes, which are parameters `attr.NAME` of their endpoints. */
export const ATTRIBUTES = 'attributes';

/** Converts the argument `attributes`, such as `{"colour": "black"}`, to parameters of an endpoint. */
const attributesAsText = ({ [ATTRIBUTES]: attributes }: ToolArguments): Record<string, string> =>
  Object.fromEntries(
    Object.entries((attributes ?? {}) as object)
      .filter(([, value]) => (value ?? null) !== null)
      .map(([name, value]) => [`attr.${name}`, asText(value)]),
  );

/** Converts numbers that a language model passed as text to JSON numbers. The endpoint rejects any other text. */
export function asNumbers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asNumbers);
  return typeof value === 'string' && /^\d{1,16}(\.\d{1,6})?$/.test(value) ? Number(value) : value;
}
