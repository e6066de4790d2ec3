import { StringDecoder } from 'node:string_decoder';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { FeedError, MAX_RECORD_BYTES } from './item.js';
import { localName } from './xml.js';

const MAX_DEPTH = 64;

/** The maximum size of a part of a workbook that is held in memory. */
const MAX_PART_BYTES = 16 * 1024 * 1024;

/** The maximum size of a sheet or of the shared texts, which are read piece by piece. */
export const MAX_STREAMED_BYTES = 2 * 1024 ** 3;

interface XmlVisitor {
  open?(element: string, attributes: Record<string, string>): void;
  text?(text: string): void;
  close?(element: string): void;
}

/** Parses an XML part of a workbook, and yields after each chunk, so that the caller can handle what was read. */
export async function* visitXmlPart(
  part: AsyncIterable<Buffer>,
  visitor: XmlVisitor,
  maxBytes = MAX_PART_BYTES,
): AsyncGenerator<void> {
  const parser = new SaxesParser<{ xmlns: false }>({ xmlns: false });
  const decoder = new StringDecoder('utf8');
  let depth = 0;
  /** The position in the text after the last XML tag. */
  let lastTag = 0;
  parser.on('error', ({ message }) => {
    throw damaged(message);
  });
  parser.on('opentag', ({ name, attributes }: SaxesTagPlain) => {
    depth += 1;
    if (depth > MAX_DEPTH) throw damaged('its elements are nested too deeply');
    lastTag = parser.position;
    visitor.open?.(localName(name), attributes);
  });
  parser.on('text', (text) => visitor.text?.(text));
  parser.on('cdata', (text) => visitor.text?.(text));
  parser.on('closetag', ({ name }) => {
    depth -= 1;
    lastTag = parser.position;
    visitor.close?.(localName(name));
  });
  for await (const chunk of part) {
    if (parser.position > maxBytes) throw damaged(`a part of it is longer than ${maxBytes / 1024 / 1024} MB`);
    parser.write(decoder.write(chunk));
    if (parser.position - lastTag > MAX_RECORD_BYTES) throw damaged('a cell is longer than 4 MB');
    yield;
    // The process handles signals and other events between two chunks.
    await nextTurn();
  }
  parser.write(decoder.end()).close();
}

/** Parses a whole part of a workbook. @throws FeedError if the part is not well-formed or too large. */
export async function readXmlPart(part: AsyncIterable<Buffer>, visitor: XmlVisitor, maxBytes?: number) {
  for await (const _ of visitXmlPart(part, visitor, maxBytes));
}

const damaged = (why: string) => new FeedError(`The workbook is damaged (${why}).`);

/** Visits the texts of elements, which may consist of several formatted runs, without phonetic hints. */
export function textVisitor(element: string, onText: (text: string) => void) {
  let pieces: string[] = [];
  let isText = false;
  let isPhonetic = false;
  return {
    open(name: string): void {
      if (name === element) pieces = [];
      if (name === 'rPh') isPhonetic = true;
      isText = name === 't' && !isPhonetic;
    },
    text(text: string): void {
      if (isText) pieces.push(text);
    },
    close(name: string): void {
      if (name === 't') isText = false;
      if (name === 'rPh') isPhonetic = false;
      if (name !== element) return;
      // A workbook writes characters that XML does not allow as `_x000D_`.
      const escape = /_x([\da-f]{4})_/gi;
      const text = pieces.splice(0).join('');
      onText(text.replace(escape, (_, code: string) => String.fromCharCode(parseInt(code, 16))));
    },
  };
}
