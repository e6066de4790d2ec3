import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { assert } from 'chai';

/**
 * Starts an export whose client reads nothing but the headers at first, so that the export stays in progress if it is larger
 * than the buffers of the connection.
 * @returns a function that reads the body. It throws an error if the body is incomplete.
 */
export async function holdExport(url: string, key: string, limit: number): Promise<() => Promise<string>> {
  const headers = { authorization: `Bearer ${key}`, 'accept-encoding': 'identity' };
  const asking = get(`${url}/v1/products/export?limit=${limit}`, { agent: false, headers });
  const [response] = (await once(asking, 'response')) as [IncomingMessage];
  assert.equal(response.statusCode, 200);
  return async () => Buffer.concat((await response.toArray()) as Buffer[]).toString();
}
