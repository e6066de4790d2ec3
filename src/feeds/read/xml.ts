import { StringDecoder } from 'node:string_decoder';
import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { textOfHtml } from './html.js';
import { FeedError, type FeedItem, MAX_RAW_TEXT, MAX_RECORD_BYTES, NOT_UTF8 } from './item.js';

const RECORD_ELEMENTS = ['item', 'entry'];
const MAX_DEPTH = 20;

/**
 * Reads RSS, Atom or other XML. The child elements of a record are its fields, without namespace prefixes. Repeated elements
 * become a list, and an element with child elements an object. An attribute of the record is a field, unless an element has
 * the same name; an attribute of a field becomes `FIELD@ATTRIBUTE`. Entities of the document are not expanded.
 * @param options.records the name of the elements that are records.
 */
export async function* readXml(
  source: AsyncIterable<Buffer>,
  { records, line = 1 }: { records?: string | undefined; line?: number } = {},
): AsyncGenerator<FeedItem> {
  const reader = new RecordReader(records === undefined ? RECORD_ELEMENTS : [records], line);
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of source) {
    const text = rest + decoder.write(chunk);
    rest = /&[^;&]{0,40}$/.exec(text)?.[0] ?? '';
    yield* reader.push(markBareAmpersands(text.slice(0, text.length - rest.length)));
  }
  yield* reader.end(markBareAmpersands(rest + decoder.end()));
}

/** Stands for an `&` that begins no entity. The parser would take the text after it for the name of an entity. */
const BARE = '\ufdd0';
const markBareAmpersands = (text: string): string =>
  text.replace(/&(?!(?:[a-z][\w.-]{0,30}|#\d{1,8}|#x[\da-f]{1,6});)/gi, BARE);
const unmarkAmpersands = (text: string): string => text.replaceAll(BARE, '&');

/** The reason for rejecting a record in which an error of syntax was found. @param column from 1. */
const malformed = (reason: string, line: number, column: number): string =>
  `record: is not well-formed XML (${reason}) at line ${line}, column ${column}`;

/** The reason for rejecting a record that has no end tag before the next element begins or ends. */
const NO_END = 'record: is not well-formed XML (it has no end)';

type Value = string | XmlFields | Value[];
interface XmlFields {
  [name: string]: Value;
}

interface OpenElement {
  name: string;
  attributes: Record<string, string>;
  fields: Map<string, { prefixed: boolean; values: Value[] }>;
  text: string;
}

class RecordReader {
  readonly #parser = new SaxesParser<{ xmlns: false }>({ xmlns: false });
  #items: FeedItem[] = [];
  /** The current XML record and its open child elements; empty between two records. */
  #open: OpenElement[] = [];
  #began = { line: 1, position: 0 };
  #error: string | undefined;
  /** The position behind the end tag of the last record, and behind the tag that closed the last open element. */
  #finishedAt = -1;
  #closedAllAt = -1;
  /** The position in the feed after the last complete XML tag, text or comment. */
  #parsedUpTo = 0;
  #any = false;
  /** The number of open elements; null before the first one. */
  #depth: number | null = null;
  /** The positions of each `&` that begins no entity and that may be in the text that is being read. */
  #ampersands: { position: number; line: number; column: number }[] = [];

  constructor(
    private readonly names: readonly string[],
    private readonly firstLine: number,
  ) {
    const parser = this.#parser;
    parser.on('opentag', (tag) => this.#opened(tag));
    parser.on('closetag', (tag) => this.#closed(tag));
    parser.on('text', (text) => {
      this.#checkText(text);
      this.#text(unmarkAmpersands(text));
    });
    parser.on('cdata', (text) => this.#text(unmarkAmpersands(text)));
    parser.on('comment', () => (this.#parsedUpTo = parser.position));
    parser.on('error', (error) => {
      const [, line = '1', column = '0', reason = ''] = /^(\d+):(\d+): (.*?)\.?$/.exec(error.message) ?? [];
      const place = { line: Number(line) + this.firstLine - 1, column: Number(column) };
      this.#checkEndTag(reason, place);
      this.#error ??= malformed(reason, place.line, place.column);
    });
  }

  *push(text: string): Iterable<FeedItem> {
    yield* this.#itemsOf(text);
    if (this.#parser.position - this.#parsedUpTo > MAX_RECORD_BYTES)
      throw new FeedError(`What begins before line ${this.#line()} is longer than 4 MB, or does not end.`);
  }

  *end(text: string): Iterable<FeedItem> {
    yield* this.#itemsOf(text);
    const isOpen = this.#open.length > 0;
    this.#error = undefined;
    this.#parser.close();
    yield* this.#items.splice(0);
    if (isOpen)
      throw new FeedError(
        `The feed ends inside the record that begins at line ${this.#began.line}: it was cut off.`,
      );
    if (this.#error !== undefined) throw new FeedError('The XML does not end as it should: it was cut off.');
    if (!this.#any) {
      throw new FeedError(
        `The XML has no element ${this.names.join(' or ')}; name those that are records, as in --records product.`,
      );
    }
  }

  /** Parses a text and returns the records that end in it, even if an error then ends the feed. */
  *#itemsOf(text: string): Iterable<FeedItem> {
    try {
      this.#write(text);
    } finally {
      yield* this.#items.splice(0);
    }
  }

  #write(text: string): void {
    const { position, column } = this.#parser;
    let line = this.#line();
    let lineAt = -column;
    let read = 0;
    this.#ampersands = this.#ampersands.filter((place) => place.position >= this.#parsedUpTo);
    for (let at = text.indexOf(BARE); at >= 0; at = text.indexOf(BARE, at + 1)) {
      const lines = text.slice(read, at).split('\n');
      if (lines.length > 1) lineAt = at - (lines.at(-1) ?? '').length;
      line += lines.length - 1;
      read = at;
      this.#ampersands.push({ position: position + at, line, column: at - lineAt + 1 });
    }
    this.#parser.write(text);
  }

  /**
   * Handles an end tag that does not match the last start tag. The parser closes all elements up to the one that it names.
   * @throws FeedError if the tag names no open element, so that all are closed. @param column that of the end of the tag.
   */
  #checkEndTag(reason: string, { line, column }: { line: number; column: number }): void {
    const { position } = this.#parser;
    const finished = this.#finishedAt === position ? this.#items.at(-1) : undefined;
    if (reason === 'unexpected close tag' && finished !== undefined) finished.error ??= NO_END;
    const [, name] = /^unmatched closing tag: (.*)$/s.exec(reason) ?? [];
    if (name === undefined || this.#closedAllAt !== position) return;
    if (finished !== undefined) this.#items.pop();
    throw new FeedError(
      `Line ${line}, column ${Math.max(column - name.length - 2, 1)}: the end tag </${name}> has no start tag, so the XML cannot be read further.`,
    );
  }

  /** Reports an `&` that begins no entity, and text after the end of the document. */
  #checkText(text: string): void {
    if (text.includes(BARE)) {
      const places = this.#ampersands;
      while (places.length > 0 && (places[0]?.position ?? 0) < this.#parsedUpTo) places.shift();
      const { line = this.#line(), column = 0 } = places[0] ?? {};
      this.#error ??= malformed('an & has to be written &amp;', line, column);
    }
    if (this.#depth !== 0 || text.trim() === '') return;
    this.#items.push({
      line: this.#line(),
      bytes: Buffer.byteLength(text),
      raw: unmarkAmpersands(text.trim()).slice(0, MAX_RAW_TEXT),
      error: 'record: is text behind the end of the XML document',
    });
  }

  #line = (): number => this.#parser.line + this.firstLine - 1;

  #opened({ name, attributes, isSelfClosing }: SaxesTagPlain): void {
    this.#parsedUpTo = this.#parser.position;
    this.#depth = (this.#depth ?? 0) + 1;
    const isRecord = this.names.includes(localName(name));
    if (isRecord && this.#open.length > 0 && !isSelfClosing) {
      // A new record begins although the element of the previous one was not closed.
      this.#error ??= NO_END;
      this.#finish();
    }
    if (this.#open.length === 0 && !isRecord) return;
    if (this.#open.length === 0) {
      this.#began = { line: this.#line(), position: this.#parser.position };
      this.#error = undefined;
      this.#any = true;
    }
    if (this.#open.length > MAX_DEPTH) this.#error ??= `record: is nested deeper than ${MAX_DEPTH} levels`;
    this.#open.push({ name, attributes, fields: new Map(), text: '' });
  }

  #text(text: string): void {
    this.#parsedUpTo = this.#parser.position;
    const open = this.#open.at(-1);
    if (open === undefined) return;
    if (this.#size() <= MAX_RECORD_BYTES) open.text += text;
  }

  #closed({ name }: SaxesTagPlain): void {
    this.#parsedUpTo = this.#parser.position;
    this.#depth = (this.#depth ?? 1) - 1;
    if (this.#depth === 0) this.#closedAllAt = this.#parser.position;
    const open = this.#open.at(-1);
    if (open?.name !== name) return;
    if (this.#open.length === 1) return this.#finish();
    this.#open.pop();
    const parent = this.#open.at(-1);
    const value = valueOf(open);
    if (parent === undefined || value === null || this.#size() > MAX_RECORD_BYTES) return;
    // A value that is nested too deeply is left out, because it could not be written to the rejects file.
    if (this.#open.length > MAX_DEPTH) return;
    add(parent, name, value);
    // If an element has attributes and no text, the attributes are its value.
    if (open.text.trim() === '' && open.fields.size === 0) return;
    for (const [attribute, text] of xmlAttributes(open)) add(parent, `${name}@${attribute}`, text);
  }

  #size = (): number => this.#parser.position - this.#began.position;

  #finish(): void {
    const [record] = this.#open;
    this.#open = [];
    this.#finishedAt = this.#parser.position;
    const bytes = this.#size();
    const value =
      record === undefined ? {} : { ...Object.fromEntries(xmlAttributes(record)), ...fieldsOf(record) };
    const text = bytes > MAX_RECORD_BYTES ? '' : JSON.stringify(value);
    const error = bytes > MAX_RECORD_BYTES ? 'record: is longer than 4 MB' : this.#error;
    const damaged = text.includes('\ufffd') ? NOT_UTF8 : undefined;
    const base = { line: this.#began.line, bytes };
    this.#error = undefined;
    if (error === undefined && damaged === undefined) this.#items.push({ ...base, raw: value, value });
    else
      this.#items.push({ ...base, raw: text.slice(0, MAX_RAW_TEXT), value, error: error ?? damaged ?? '' });
  }
}

/** XML attributes that describe the markup and not the product. */
const MARKUP = /^(?:xmlns|xml:.*|xmlns:.*|type|rel|href)$/;
const xmlAttributes = ({ attributes }: OpenElement): [string, string][] =>
  Object.entries(attributes)
    .filter(([name, value]) => !MARKUP.test(name) && value.trim() !== '')
    .map(([name, value]) => [localName(name), unmarkAmpersands(value)]);

/** The name of an XML element or attribute without its namespace prefix. */
export const localName = (name: string): string => name.slice(name.lastIndexOf(':') + 1);

/** Adds a field to its parent element in the XML record. `g:title` is more specific than `title` and replaces it. */
function add(parent: OpenElement, name: string, value: Value): void {
  const local = localName(name);
  const prefixed = local !== name;
  const known = parent.fields.get(local);
  if (known === undefined || (prefixed && !known.prefixed))
    parent.fields.set(local, { prefixed, values: [value] });
  else if (prefixed === known.prefixed) known.values.push(value);
}

const fieldsOf = ({ fields }: OpenElement): XmlFields =>
  Object.fromEntries(
    [...fields].map(([name, { values }]) => [name, values.length === 1 ? (values[0] ?? '') : values]),
  );

/** The value of a complete XML element; null for a link in Atom that is not the one to the listing's page. */
function valueOf(open: OpenElement): Value | null {
  const { attributes, fields, text } = open;
  if (fields.size > 0) return fieldsOf(open);
  // An Atom element of the type `html` contains escaped HTML, which is converted to text.
  if (attributes['type'] === 'html') return textOfHtml(text);
  if (text.trim() !== '') return text.trim();
  const { href, rel = 'alternate' } = attributes;
  if (href !== undefined) return rel === 'alternate' ? unmarkAmpersands(href) : null;
  if (Object.keys(attributes).length === 0) return '';
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name, unmarkAmpersands(value)]),
  );
}
