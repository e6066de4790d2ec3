import { connect, type Socket } from 'node:net';

/** What the service sent over a connection until the connection ended. */
export interface RawAnswer {
  /** The status of the response; 0 if the connection ended without a response. */
  status: number;
  /** The headers of the response as text, without the status line. */
  headers: string;
  /** The body of the response, parsed; undefined if it is not JSON. */
  body: unknown;
}

/** Opens a connection to the service. Errors of the connection are ignored. */
export function open(url: string): Socket {
  const { hostname, port } = new URL(url);
  return connect(Number(port), hostname).on('error', () => undefined);
}

/** Reads a response until the connection ends. */
export function answerOf(socket: Socket): Promise<RawAnswer> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  return new Promise((resolve) => {
    socket.once('close', () => resolve(read(Buffer.concat(chunks).toString())));
  });
}

/** Sends bytes, leaves the connection open, and waits until the service closes it. */
export function send(url: string, bytes: string | Buffer): Promise<RawAnswer> {
  const socket = open(url);
  socket.write(bytes);
  return answerOf(socket);
}

function read(text: string): RawAnswer {
  const [head = '', body = ''] = text.split(/\r\n\r\n(.*)/s);
  const [statusLine = '', ...headers] = head.split('\r\n');
  const length = Number(/^content-length: (\d+)/im.exec(head)?.[1]);
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1] ?? 0),
    headers: headers.join('\r\n'),
    // If a request was refused before it was complete, a second response, of its time-out, may follow; it is
    // ignored.
    body: /^content-type: application\/json/im.test(head) ? JSON.parse(body.slice(0, length)) : undefined,
  };
}
