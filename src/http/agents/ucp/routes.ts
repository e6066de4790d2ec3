import express, { type Router } from 'express';
import type { Perform, Requester } from '../../perform.js';
import { methodNotAllowed, requesterOf } from '../../router.js';
import { readBody, parseBody } from '../../transfer/request-body.js';
import { sendBytes } from '../../transfer/response-body.js';
import type { AgentOptions } from '../options.js';
import { answerInJsonRpc, countBatch, requireOwnOrigin } from '../mcp/handler.js';
import { ucpMcpPath } from './schemas.js';
import { answerInUcp } from './errors.js';
import { ucpAgentHandler } from './mcp.js';
import { OPERATIONS, type UcpOperation, type UcpOutcome } from './operations.js';
import { negotiated, type Platforms, profileUrl } from './platforms.js';
import { basePath, envelope, type Release, RELEASES } from './releases.js';

export function ucpRoutes(
  { context, logger, checks, limit, performerOf, servedBy }: AgentOptions,
  platforms: Platforms | null,
): Router {
  const router = express.Router();
  const before = checks.read.beforeBody;
  const operations = OPERATIONS.map((one) => ({ ...one, perform: performerOf(one.endpoint) }));
  for (const release of RELEASES) {
    const base = basePath(release);
    for (const operation of operations)
      router.post(
        `${base}/v1${operation.path}`,
        servedBy(operation.endpoint),
        ...before,
        readBody,
        async (request, response) => {
          const profile = profileUrl(request.get('ucp-agent'));
          const given = { profile, served: release, body: parseBody(request) };
          const answer = await performOperation(operation, given, requesterOf(request, response), platforms);
          if (answer === null) return;
          response.type('application/json');
          sendBytes(request, response, Buffer.from(JSON.stringify(answer)));
        },
      );
    router.post(
      `${base}/mcp`,
      servedBy(ucpMcpPath),
      ...before,
      requireOwnOrigin(context.config),
      readBody,
      countBatch(limit),
      ucpAgentHandler(operations, release, logger, (operation, given, requester) =>
        performOperation(operation, { ...given, served: release }, requester, platforms),
      ),
      answerInJsonRpc(logger),
    );
    router.use(
      methodNotAllowed([
        { ...ucpMcpPath, path: `${base}/mcp` },
        ...OPERATIONS.map(({ endpoint, path }) => ({ ...endpoint, path: `${base}/v1${path}` })),
      ]),
    );
  }
  router.use('/ucp', answerInUcp(logger));
  return router;
}

/** Runs an operation for a platform, whose profile may state another release. @returns null if the client has disconnected. */
async function performOperation(
  { perform, capability }: UcpOperation & { perform: Perform },
  { profile, served, body }: { profile: string; served: Release; body: unknown },
  requester: Requester,
  platforms: Platforms | null,
): Promise<object | null> {
  const { address } = requester.caller;
  const release =
    platforms === null ? served : negotiated(await platforms.get(profile, address()), capability);
  if (release === null) return incompatible(served);
  const answered = await perform({ body }, requester);
  if (answered === null) return null;
  const { status, ...outcome } = answered.body as UcpOutcome;
  return { ucp: { ...envelope(release, capability), ...(status && { status }) }, ...outcome };
}

const incompatible = (release: Release) => ({
  ucp: { version: release, status: 'error', capabilities: {} },
  messages: [
    {
      type: 'error',
      code: 'capabilities_incompatible',
      content: 'The profile of the platform does not list this capability in this release',
      severity: 'unrecoverable',
    },
  ],
});
