import { FeedError } from './item.js';

/** Whether text in such an encoding can be read: `latin1` (which is read as Windows-1252), `utf-16`, `shift_jis`, … */
export function isEncoding(name: string): boolean {
  try {
    new TextDecoder(name);
    return true;
  } catch {
    return false;
  }
}

/** The encoding that a byte order mark tells; undefined: there is none, or that of UTF-8. */
export function markedEncoding([first, second]: Buffer): string | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
}

/** The encoding that an XML declaration names; undefined: there is none, or one that cannot be read. */
export function declaredEncoding(head: Buffer): string | undefined {
  const [, name] =
    /^<\?xml[^>]*\sencoding=["']([\w.:-]+)["']/.exec(head.subarray(0, 200).toString('latin1')) ?? [];
  return name !== undefined && isEncoding(name) ? name : undefined;
}

/** Text in another encoding as UTF-8, without a byte order mark. @throws FeedError where it is not in that encoding. */
export async function* decode(source: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  let line = 1;
  const read = (chunk?: Buffer): string => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw new FeedError(`The text is not ${encoding}, at line ${line} or somewhat later.`);
    }
  };
  for await (const chunk of source) {
    const text = read(chunk);
    line += text.split('\n').length - 1;
    yield Buffer.from(text);
  }
  yield Buffer.from(read());
}
