import type { TObject, TSchema } from 'typebox';
import type { EndpointInput } from '../../perform.js';

/** The arguments of a tool call. The tool knows their names; the endpoint validates their values. */
export type ToolArguments = Record<string, unknown>;

/** A tool call that is suggested to an agent, which can make it without changes. */
export interface ToolCall {
  name: string;
  arguments: ToolArguments;
}

/** The API as tools use it: with the rights of the client, but without HTTP. */
export interface Api {
  /**
   * Calls an endpoint, such as `GET /v1/search`. Texts of the response contain no control characters and line breaks.
   * @throws ApiError if the endpoint fails.
   */
  call<Body>(operation: string, input: EndpointInput): Promise<Body>;
  now: Date;
}

export interface ToolResult {
  /** The structured result of a tool call, which conforms to the tool's output schema. */
  structured: object;
  lines: string[];
  /** A text that replaces `lines`, for clients that expect the result in a prescribed form. */
  text?: string;
  ids?: readonly number[];
  /** The reason why the result has no items, if it has none. A call that finds some is then suggested. */
  empty?: string;
  /** Arguments of the same tool with which it finds something, if they are known. */
  instead?: ToolArguments;
  /**
   * What is wrong if a tool for a single result has none, and a call that finds something. `lines` are then the listings
   * that may be meant.
   */
  failed?: { message: string; call: ToolCall };
}

/** A tool of agents, as `tools/list` describes it. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  input: InputSchema;
  output: TSchema;
  /**
   * Only of a tool that changes something: the arguments of a call that changes nothing. After an error this call is
   * suggested, because corrected calls of such a tool are not tried.
   */
  safeCall?: ToolArguments;
  /** Whether hosts that show pages in conversations show the result as a plot. */
  showsPrices?: true;
  run(args: ToolArguments, api: Api): Promise<ToolResult>;
}

interface InputSchema {
  type: 'object';
  properties: Record<string, TSchema>;
  required?: string[];
  additionalProperties: false;
}

/**
 * Creates the input schema of a tool from parameters of its endpoint and from arguments of its own.
 * @throws Error at start-up if the endpoint has no parameter with one of the names.
 */
export function argumentsOf(
  from: TObject,
  names: readonly string[],
  own: Record<string, TSchema> = {},
): InputSchema {
  const properties = names.map((name): [string, TSchema] => {
    const schema = from.properties[name];
    if (schema === undefined) throw new Error(`no parameter ${name}`);
    return [name, brief(schema, !SAYS_ITSELF.test(name))];
  });
  const required = (from.required as string[] | undefined)?.filter((name) => names.includes(name)) ?? [];
  return {
    type: 'object',
    properties: { ...Object.fromEntries(properties), ...own },
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

/** Matches the names of parameters that need no description. */
const SAYS_ITSELF = /^(?:m(?:in|ax)_|source$)/;

/** The keywords that the list of tools leaves out, because it is small: the endpoint reports each violation. */
const LEFT_OUT = [
  '$id',
  'separators',
  'examples',
  'pattern',
  'minLength',
  'maxLength',
  'maxItems',
  'maximum',
];

/**
 * Returns the schema of a parameter without its example and limits. Its description is shortened to the first clause.
 * @param isDescribed whether the description is kept at all.
 */
function brief(schema: TSchema, isDescribed = true): TSchema {
  const { description, documented, ...rest } = schema as { description?: string; documented?: object };
  const relevant = Object.entries({ ...rest, ...documented }).filter(([name]) => !LEFT_OUT.includes(name));
  const items = 'items' in rest ? { items: brief(rest.items as TSchema) } : {};
  const [clause] = description?.split(/(?<=[^.])[;.] /, 1) ?? [];
  return {
    ...Object.fromEntries(relevant),
    ...items,
    ...(clause === undefined || !isDescribed ? {} : { description: clause }),
  } as TSchema;
}

/**
 * Converts the arguments of a tool call to text for a query or path. Absent and null ones are omitted;
 * several values are separated by `|`.
 */
export const asText = (args: ToolArguments, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = args[name];
      if (value === undefined || value === null) return [];
      return [[name, Array.isArray(value) ? value.join('|') : String(value as string | number | boolean)]];
    }),
  );

/** The argument of tools that filter by attributes, which are parameters `attr.NAME` of their endpoints. */
export const ATTRIBUTES = 'attributes';

/** Converts the argument `attributes`, such as `{"colour": "black"}`, to parameters of an endpoint. */
export function attributesAsText({ [ATTRIBUTES]: attributes }: ToolArguments): Record<string, string> {
  if (typeof attributes !== 'object' || attributes === null) return {};
  const named = Object.entries(attributes).map(([name, value]): [string, unknown] => [`attr.${name}`, value]);
  return asText(
    Object.fromEntries(named),
    named.map(([name]) => name),
  );
}

/**
 * Converts numbers that a language model passed as text to JSON numbers. Any other text stays as it is, so
 * that the endpoint rejects it.
 */
export function asNumbers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asNumbers);
  return typeof value === 'string' && /^\d{1,16}(\.\d{1,6})?$/.test(value) ? Number(value) : value;
}
