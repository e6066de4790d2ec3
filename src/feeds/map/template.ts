import type { Row } from './row.js';

type Part = string | { column: string } | { optional: Part[] };

/**
 * Fills a template: `{Title}[ - {Option1 Value}]`. A part in brackets is left out where one of its columns is blank.
 * @returns undefined where a column outside of brackets is blank.
 */
export function fillTemplate(template: string, row: Row): string | undefined {
  return fill(partsOf(template), row)?.trim();
}

/** The columns that a template names. */
export function templateColumns(template: string): string[] {
  const columns = (parts: readonly Part[]): string[] =>
    parts.flatMap((part) => {
      if (typeof part === 'string') return [];
      return 'column' in part ? [part.column] : columns(part.optional);
    });
  return columns(partsOf(template));
}

function fill(parts: readonly Part[], row: Row): string | undefined {
  let text = '';
  for (const part of parts) {
    if (typeof part === 'string') text += part;
    else if ('optional' in part) text += fill(part.optional, row) ?? '';
    else {
      const value = row.text(part.column);
      if (value === undefined) return undefined;
      text += value;
    }
  }
  return text;
}

const parsed = new Map<string, Part[]>();

function partsOf(template: string): Part[] {
  const known = parsed.get(template);
  if (known !== undefined) return known;
  const parts = parse(template);
  parsed.set(template, parts);
  return parts;
}

function parse(template: string): Part[] {
  return [...template.matchAll(/\[([^\][]*)\]|\{([^{}]*)\}|[^[{]+|[[{]/g)].map(([all, optional, column]) => {
    if (optional !== undefined) return { optional: parse(optional) };
    return column === undefined ? all : { column };
  });
}
