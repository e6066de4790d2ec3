/** The text behind its first lines. */
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
