import { type DiagnosticResult, errors } from '@elastic/elasticsearch';
import { parseJson } from '../platform/parse-json.js';

/** The statuses with which a gateway or a node says that it cannot reach the node that would answer. */
const GATEWAY_ERRORS = new Set([502, 503, 504]);

/**
 * Returns the body of Elasticsearch's answer to a request with `asStream: true` and `meta: true`, without parsing it.
 * @returns null if a gateway failed. The caller then sends the request again without `asStream`, so that the client retries it
 * on other nodes.
 * @throws ResponseError for every other error: a request that was rejected must not be sent again.
 */
export async function bytesOf(request: Promise<unknown>): Promise<Buffer | null> {
  // The connection reads every answer as a whole, but the types of the client declare a stream.
  const answer = (await request) as Omit<DiagnosticResult, 'body'> & { body: Buffer };
  const { statusCode = 0, body } = answer;
  if (GATEWAY_ERRORS.has(statusCode)) return null;
  if (statusCode === 200) return body;
  const text = body.toString();
  throw new errors.ResponseError({ ...answer, body: parseJson(text) ?? text });
}
