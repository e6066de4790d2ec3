import { connect, type Socket } from 'node:net';

/** What came back over a connection until it ended. */
export interface RawAnswer {
  /** 0: it ended without an answer. */
  status: number;
  /** As they came, without the status line. */
  headers: string;
  /** undefined: no JSON. */
  body: unknown;
}

/** A connection to the service at this URL; whoever attacks does not mind that it breaks. */
export function open(url: string): Socket {
  const { hostname, port } = new URL(url);
  return connect(Number(port), hostname).on('error', () => undefined);
}

/** Reads a connection to its end. */
export function answerOf(socket: Socket): Promise<RawAnswer> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  return new Promise((resolve) => {
    socket.once('close', () => resolve(read(Buffer.concat(chunks).toString())));
  });
}

/** Sends bytes as they are, leaves the connection open, and waits until the service closes it. */
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
    // A connection whose request was refused before it was whole may tell of its time-out as well.
    body: /^content-type: application\/json/im.test(head) ? JSON.parse(body.slice(0, length)) : undefined,
  };
}
