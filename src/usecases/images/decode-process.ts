/** Decodes untrusted images: answers each with its hash and perhaps a picture, or a reason. `decoder.ts` may kill this process. */
import { ImageFailure, type FailureReason } from './failure.js';
import { perceptualHash, smallPicture } from './hash.js';

/** The messages that the decoder process sends: first that it is ready, then one for each image. */
export type DecoderMessage = 'ready' | DecodedImage | { failure: FailureReason };
export type DecoderInput = { bytes: Uint8Array; withPicture: boolean };
export type DecodedImage = { hash: string; picture: Uint8Array | null };

const send = (message: DecoderMessage) => process.send?.(message);

async function decode({ bytes, withPicture }: DecoderInput): Promise<DecoderMessage> {
  const image = Buffer.from(bytes);
  try {
    return { hash: await perceptualHash(image), picture: withPicture ? await smallPicture(image) : null };
  } catch (error) {
    if (!(error instanceof ImageFailure)) throw error;
    return { failure: error.reason };
  }
}

process.on('message', (input: DecoderInput) => void decode(input).then(send));
// The parent process has exited. A normal exit would wait for the image decoder, which may never finish.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
// Ctrl-C sends its signal to this process, too, but the parent process decides when this one ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
send('ready');
