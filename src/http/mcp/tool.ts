import type { TObject, TSchema } from 'typebox';

/** What an endpoint is asked: parameters as text, the body as JSON. */
export interface Asked {
  path?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
}

/** Arguments of a call whose names and kinds the tool knows; what they say is the endpoint's to validate. */
export type Arguments = Record<string, unknown>;

/** What a tool may use: the API as a client has it, but without HTTP. */
export interface Api {
  /**
   * Asks an endpoint, such as `GET /v1/search`. Texts of the answer hold no control characters and no line breaks.
   * @throws ApiError
   */
  ask<Body>(operation: string, asked: Asked): Promise<Body>;
  now: Date;
}

/** What a tool answers. */
export interface Shown {
  /** By its output schema. */
  structured: object;
  /** The same for reading, a line an item. */
  lines: string[];
  /** In place of the lines, where a client expects a text of its own. */
  text?: string;
  /** Listings that may be worth a closer look. */
  ids?: readonly number[];
  /** Why a list is empty; the answer gives this reason and a call that finds something. */
  nothing?: string;
}

/** A tool as `tools/list` shows it, and what it does. It only ever reads. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  input: InputSchema;
  output: TSchema;
  run(args: Arguments, api: Api): Promise<Shown>;
}

/** JSON Schema of the arguments. */
export interface InputSchema {
  type: 'object';
  properties: Record<string, TSchema>;
  required?: string[];
  additionalProperties: false;
}

/**
 * The arguments that a tool takes of an endpoint: their types, limits and texts are the endpoint's.
 * @throws Error for a name that the endpoint does not have, at start.
 */
export function argumentsOf(
  from: TObject,
  names: readonly string[],
  own: Record<string, TSchema> = {},
): InputSchema {
  const properties = names.map((name): [string, TSchema] => {
    const schema = from.properties[name];
    if (schema === undefined) throw new Error(`no parameter ${name}`);
    return [name, brief(schema)];
  });
  const required = (from.required as string[] | undefined)?.filter((name) => names.includes(name)) ?? [];
  return {
    type: 'object',
    properties: { ...Object.fromEntries(properties), ...own },
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

/** The endpoint's schema of a parameter without its example, and with the first clause of its description alone. */
function brief(schema: TSchema): TSchema {
  const { description, documented, ...rest } = schema as { description?: string; documented?: object };
  const kept = Object.entries({ ...rest, ...documented }).filter(
    ([name]) => !['$id', 'separators', 'examples', 'pattern'].includes(name),
  );
  const [clause] = description?.split(/(?<=[^.])[;.] /, 1) ?? [];
  return { ...Object.fromEntries(kept), ...(clause === undefined ? {} : { description: clause }) } as TSchema;
}

/** Arguments as the text of a query or path: an absent or null one is left out, several values are parted by `|`. */
export const asText = (args: Arguments, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = args[name];
      if (value === undefined || value === null) return [];
      return [[name, Array.isArray(value) ? value.join('|') : String(value as string | number | boolean)]];
    }),
  );

/** Numbers of a body, also where a model wrote them as text; what is no numeral is left for the endpoint to refuse. */
export function asNumbers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asNumbers);
  return typeof value === 'string' && /^\d{1,16}(\.\d{1,6})?$/.test(value) ? Number(value) : value;
}
