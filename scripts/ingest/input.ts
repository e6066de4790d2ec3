import { accessSync, constants, createReadStream, statSync } from 'node:fs';
import { CommandError } from '../shared/terminal.js';

/** A feed to read: a file, or standard input for `-`. */
export interface Input {
  name: string;
  /** Where its rejected records go. */
  rejectsPath: string;
  /** In bytes; null: nobody knows. */
  size: number | null;
  open(): OpenInput;
}

export interface OpenInput {
  chunks: AsyncIterable<Buffer>;
  /** How many bytes were read of it. */
  position(): number;
  /** Ends the reading, also while it waits for more. */
  close(): void;
}

/** @throws CommandError when there is no such file to read. */
export function inputOf(path: string): Input {
  if (path === '-') {
    return {
      name: 'standard input',
      rejectsPath: 'stdin.rejected.ndjson',
      size: null,
      open: () => opened(process.stdin),
    };
  }
  const size = readableSize(path);
  return {
    name: path,
    rejectsPath: `${path}.rejected.ndjson`,
    size,
    open: () => opened(createReadStream(path)),
  };
}

function readableSize(path: string): number | null {
  try {
    const stat = statSync(path);
    if (stat.isDirectory()) throw new CommandError(`${path} is a directory; name the feed files in it.`);
    accessSync(path, constants.R_OK);
    return stat.isFile() ? stat.size : null;
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandError(
      code === 'ENOENT' ? `${path}: no such file.` : `${path} cannot be read (${code}).`,
    );
  }
}

function opened(stream: NodeJS.ReadableStream & { destroy(): unknown }): OpenInput {
  let position = 0;
  async function* counted() {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      position += chunk.length;
      yield chunk;
    }
  }
  return { chunks: counted(), position: () => position, close: () => void stream.destroy() };
}
