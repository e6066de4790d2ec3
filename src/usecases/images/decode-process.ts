/**
 * A process that looks at images and does nothing else: it gets bytes, and answers with their hash or why there is
 * none. What it is given may keep it busy for ever or make it crash; `decoder.ts` ends it then.
 */
import { ImageFailure, type FailureReason } from './failure.js';
import { perceptualHash } from './hash.js';

/** What it says: first that it is ready, then one answer to each image. */
export type Said = 'ready' | { hash: string } | { failure: FailureReason };

const say = (said: Said) => process.send?.(said);

async function look(bytes: Uint8Array): Promise<Said> {
  try {
    return { hash: await perceptualHash(Buffer.from(bytes)) };
  } catch (error) {
    if (!(error instanceof ImageFailure)) throw error;
    return { failure: error.reason };
  }
}

process.on('message', (bytes: Uint8Array) => void look(bytes).then(say));
// Its parent is gone. An ordinary exit would wait for a decoder that may never come to its end.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
// Ctrl-C reaches it too: when it ends is for its parent to say.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
say('ready');
