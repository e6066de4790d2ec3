import { TextDecoder } from '@exodus/bytes/encoding.js';

const tables = new Map<string, Map<string, Buffer>>();

/** Encodes a text in an encoding with one or two bytes a character, such as `windows-1250`, `shift_jis` and `gbk`. */
export function encode(text: string, encoding: string): Buffer {
  let table = tables.get(encoding);
  if (table === undefined) {
    table = tableOf(encoding);
    tables.set(encoding, table);
  }
  const bytes = Array.from(text, (character) => {
    const found = table.get(character);
    if (found === undefined) throw new Error(`${encoding} has no ${character}`);
    return found;
  });
  return Buffer.concat(bytes);
}

function tableOf(encoding: string): Map<string, Buffer> {
  const decoder = new TextDecoder(encoding);
  const table = new Map<string, Buffer>();
  const add = (...bytes: number[]) => {
    const text = decoder.decode(Uint8Array.from(bytes));
    if (Array.from(text).length === 1 && text !== '\ufffd' && !table.has(text))
      table.set(text, Buffer.from(bytes));
  };
  for (let byte = 0; byte < 256; byte += 1) add(byte);
  for (let lead = 0x81; lead < 0xff; lead += 1)
    for (let trail = 0x40; trail < 0xff; trail += 1) add(lead, trail);
  return table;
}
