import { StringDecoder } from 'node:string_decoder';
import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { textOfHtml } from './html.js';
import { FeedError, type FeedItem, MAX_RAW_TEXT, MAX_RECORD_BYTES, NOT_UTF8 } from './item.js';

/** The elements of RSS and of Atom that are records. */
const RECORD_ELEMENTS = ['item', 'entry'];
const MAX_DEPTH = 20;

/**
 * Reads RSS, Atom or other XML: an element is a record, the elements in it are its fields, without their prefixes. One
 * that comes up again makes a list, and one with elements in it an object. An attribute of the record is a field, too (one
 * that an element of the same name goes before), and one of a field is `FIELD@ATTRIBUTE`. Entities that a document declares itself are
 * not expanded: a record that uses one is rejected.
 * @param options.records the name of the elements that are records.
 */
export async function* readXml(
  source: AsyncIterable<Buffer>,
  { records, line = 1 }: { records?: string | undefined; line?: number } = {},
): AsyncGenerator<FeedItem> {
  const reader = new Records(records === undefined ? RECORD_ELEMENTS : [records], line);
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of source) {
    const text = rest + decoder.write(chunk);
    rest = /&[^;&]{0,40}$/.exec(text)?.[0] ?? '';
    yield* reader.push(marked(text.slice(0, text.length - rest.length)));
  }
  yield* reader.end(marked(rest + decoder.end()));
}

/** Stands for an `&` that begins no reference: the parser would read on to the next `;`, through other records. */
const BARE = '\ufdd0';
const marked = (text: string): string =>
  text.replace(/&(?!(?:[a-z][\w.-]{0,30}|#\d{1,8}|#x[\da-f]{1,6});)/gi, BARE);
const unmarked = (text: string): string => text.replaceAll(BARE, '&');

type Value = string | Fields | Value[];
interface Fields {
  [name: string]: Value;
}

/** An element that is open: its fields so far, or its text. */
interface Open {
  name: string;
  attributes: Record<string, string>;
  fields: Map<string, { prefixed: boolean; values: Value[] }>;
  text: string;
}

class Records {
  readonly #parser = new SaxesParser<{ xmlns: false }>({ xmlns: false });
  #items: FeedItem[] = [];
  /** The record and the elements in it that are open; empty: between records. */
  #open: Open[] = [];
  #began = { line: 1, position: 0 };
  #error: string | undefined;
  /** Where the parser was when it last understood something. */
  #understood = 0;
  #any = false;

  constructor(
    private readonly names: readonly string[],
    private readonly firstLine: number,
  ) {
    const parser = this.#parser;
    parser.on('opentag', (tag) => this.#opened(tag));
    parser.on('closetag', (tag) => this.#closed(tag));
    parser.on('text', (text) => {
      if (text.includes(BARE))
        this.#error ??= 'record: is not well-formed XML (an & has to be written &amp;)';
      this.#text(unmarked(text));
    });
    parser.on('cdata', (text) => this.#text(unmarked(text)));
    parser.on('comment', () => (this.#understood = parser.position));
    parser.on('error', (error) => {
      this.#error ??= `record: is not well-formed XML (${error.message.replace(/^[\d:\s]+/, '').replace(/\.$/, '')})`;
    });
  }

  *push(text: string): Iterable<FeedItem> {
    this.#parser.write(text);
    yield* this.#items.splice(0);
    if (this.#parser.position - this.#understood > MAX_RECORD_BYTES)
      throw new FeedError(`What begins before line ${this.#line()} is longer than 4 MB, or does not end.`);
  }

  *end(text: string): Iterable<FeedItem> {
    this.#parser.write(text);
    yield* this.#items.splice(0);
    const isOpen = this.#open.length > 0;
    this.#error = undefined;
    this.#parser.close();
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

  #line = (): number => this.#parser.line + this.firstLine - 1;

  #opened({ name, attributes, isSelfClosing }: SaxesTagPlain): void {
    this.#understood = this.#parser.position;
    const isRecord = this.names.includes(localName(name));
    if (isRecord && this.#open.length > 0 && !isSelfClosing) {
      // The record before was not closed.
      this.#error ??= 'record: is not well-formed XML (it has no end)';
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
    this.#understood = this.#parser.position;
    const open = this.#open.at(-1);
    if (open === undefined) return;
    if (this.#size() <= MAX_RECORD_BYTES) open.text += text;
  }

  #closed({ name }: SaxesTagPlain): void {
    this.#understood = this.#parser.position;
    const open = this.#open.at(-1);
    if (open?.name !== name) return;
    if (this.#open.length === 1) return this.#finish();
    this.#open.pop();
    const parent = this.#open.at(-1);
    const value = valueOf(open);
    if (parent === undefined || value === null || this.#size() > MAX_RECORD_BYTES) return;
    // The record is rejected; nested without end, it could not be written back.
    if (this.#open.length > MAX_DEPTH) return;
    add(parent, name, value);
    // Of an element without text its attributes are the value.
    if (open.text.trim() === '' && open.fields.size === 0) return;
    for (const [attribute, said] of statedIn(open)) add(parent, `${name}@${attribute}`, said);
  }

  #size = (): number => this.#parser.position - this.#began.position;

  #finish(): void {
    const [record] = this.#open;
    this.#open = [];
    const bytes = this.#size();
    const value =
      record === undefined ? {} : { ...Object.fromEntries(statedIn(record)), ...fieldsOf(record) };
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

/** Say how an element is to be read, and nothing of a product. */
const MARKUP = /^(?:xmlns|xml:.*|xmlns:.*|type|rel|href)$/;
const statedIn = ({ attributes }: Open): [string, string][] =>
  Object.entries(attributes)
    .filter(([name, value]) => !MARKUP.test(name) && value.trim() !== '')
    .map(([name, value]) => [localName(name), unmarked(value)]);

const localName = (name: string): string => name.slice(name.lastIndexOf(':') + 1);

/** A prefixed field says more of a product than one of RSS or Atom with the same name: `g:title` goes before `title`. */
function add(parent: Open, name: string, value: Value): void {
  const local = localName(name);
  const prefixed = local !== name;
  const known = parent.fields.get(local);
  if (known === undefined || (prefixed && !known.prefixed))
    parent.fields.set(local, { prefixed, values: [value] });
  else if (prefixed === known.prefixed) known.values.push(value);
}

const fieldsOf = ({ fields }: Open): Fields =>
  Object.fromEntries(
    [...fields].map(([name, { values }]) => [name, values.length === 1 ? (values[0] ?? '') : values]),
  );

/** @returns null for a link of Atom that leads to something else than the page. */
function valueOf(open: Open): Value | null {
  const { attributes, fields, text } = open;
  if (fields.size > 0) return fieldsOf(open);
  // Atom: the text is markup, which was escaped.
  if (attributes['type'] === 'html') return textOfHtml(text);
  if (text.trim() !== '') return text.trim();
  const { href, rel = 'alternate' } = attributes;
  if (href !== undefined) return rel === 'alternate' ? unmarked(href) : null;
  if (Object.keys(attributes).length === 0) return '';
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, unmarked(value)]));
}
