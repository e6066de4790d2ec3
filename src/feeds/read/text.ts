/** The text of a feed, decoded to UTF-8 and without blank lines at its beginning. */
export interface FeedText {
  chunks: AsyncIterable<Buffer>;
  /** The beginning of the feed's text. It contains the first line, and the first line after comments of XML or HTML. */
  head: Buffer;
  /** The number of the first line of the feed that is not blank. */
  line: number;
}

export async function* skipLines(source: AsyncIterable<Buffer>, count: number): AsyncGenerator<Buffer> {
  let left = count;
  for await (const chunk of source) {
    let from = 0;
    while (left > 0) {
      const end = chunk.indexOf('\n', from);
      if (end < 0) break;
      from = end + 1;
      left -= 1;
    }
    if (left === 0 && from < chunk.length) yield chunk.subarray(from);
  }
}

/** The maximum number of bytes of a feed's first line that are read to detect its format. */
const LONGEST_LINE = 64 * 1024;

const isBlankByte = (byte: number): boolean =>
  byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === 0x0a;

/** A message that PHP writes before the feed that it produces, as HTML or as text. */
const PHP_MESSAGE =
  /^\s*(?:<br \/>\s{0,9})?(?:<b>)?(?:PHP )?(?:warning|notice|deprecated|strict standards)(?:<\/b>)?:[^\r\n]{0,4000} on line (?:<b>)?\d+(?:<\/b>)?(?:<br \/>)?[ \t]*\r?\n/i;

/** Skips byte order marks, blank lines and messages of PHP, and reads the first line; null if the text is blank. */
export async function readFirstLine(source: AsyncIterable<Buffer>, line: number): Promise<FeedText | null> {
  const { blankLines, chunks } = await skipBlankLines(source);
  const [head, rest] = await peek(chunks, hasFirstLine);
  if (head.every(isBlankByte)) return null;
  const [message] = PHP_MESSAGE.exec(head.toString('latin1')) ?? [];
  if (message !== undefined) {
    const lines = blankLines + message.split('\n').length - 1;
    return readFirstLine(withHead(head.subarray(message.length), rest), line + lines);
  }
  return { head, chunks: withHead(head, rest), line: line + blankLines };
}

async function skipBlankLines(source: AsyncIterable<Buffer>) {
  const [head, rest] = await peek(source, (bytes) => bytes.length >= BYTE_ORDER_MARK.length);
  let blankLines = 0;
  /** The text that was read, from the beginning of the current line. */
  let text = head;
  for (;;) {
    const { found, lineAt, lines } = findText(text);
    blankLines += lines;
    text = text.subarray(lineAt);
    if (found) return { blankLines, chunks: withHead(text, rest) };
    const next = await rest.next();
    if (next.done === true) return { blankLines, chunks: withHead(text, rest) };
    // A line that begins with this many blanks is treated as blank, so that the blanks need not be held in memory.
    if (text.length > LONGEST_LINE) text = text.subarray(text.length);
    text = Buffer.concat([text, toBuffer(next.value)]);
  }
}

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Finds the first line that is not blank, in a loop: a client may send megabytes of blanks, and several byte order marks. */
function findText(bytes: Buffer): { found: boolean; lines: number; lineAt: number } {
  let lines = 0;
  let lineAt = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === BYTE_ORDER_MARK[0] && BYTE_ORDER_MARK.equals(bytes.subarray(at, at + 3))) {
      at += 2;
      lineAt = at + 1;
      continue;
    }
    if (!isBlankByte(byte)) return { found: true, lines, lineAt };
    if (byte !== 0x0a) continue;
    lines += 1;
    lineAt = at + 1;
  }
  return { found: false, lines, lineAt };
}

function hasFirstLine(text: Buffer): boolean {
  if (text.length > LONGEST_LINE) return true;
  const start = withoutComments(text);
  return start.includes('\n') && !start.startsWith('<!--');
}

/** Matches blanks, declarations of XML and comments. */
const BEFORE_ROOT = /^(?:\s|<\?xml\s[^>]*>|<!--(?:(?!-->)[^])*-->)*/;

/** The beginning of a text without declarations and comments of XML. Each byte is one character. */
export const withoutComments = (head: Buffer): string =>
  head.toString('latin1', 0, LONGEST_LINE).replace(BEFORE_ROOT, '');

/** Reads a stream until `isEnough` accepts its beginning. @returns the beginning and the rest. */
export async function peek(
  source: AsyncIterable<Buffer | string>,
  isEnough: (head: Buffer) => boolean,
): Promise<[Buffer, AsyncIterator<Buffer | string>]> {
  const rest = source[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  while (!isEnough(head)) {
    const next = await rest.next();
    if (next.done === true) break;
    head = Buffer.concat([head, toBuffer(next.value)]);
  }
  return [head, rest];
}

/** Rebuilds the whole stream from the two parts that `peek` returned. */
export async function* withHead(head: Buffer, rest: AsyncIterator<Buffer | string>): AsyncGenerator<Buffer> {
  try {
    yield head;
    for (let next = await rest.next(); next.done !== true; next = await rest.next())
      yield toBuffer(next.value);
  } finally {
    await rest.return?.();
  }
}

const toBuffer = (chunk: Buffer | string): Buffer => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
