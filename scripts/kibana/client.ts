import { setTimeout as sleep } from 'node:timers/promises';
import { CommandError } from '../shared/exit.js';

/** Where Kibana is, and as whom it is asked. */
export interface KibanaAccess {
  /** With its base path, without a slash at the end. */
  url: string;
  /** The `Authorization` header; null: Kibana asks for none. */
  authorization: string | null;
  /** The space to work in. */
  space: string;
}

/** What Kibana made of an object that it took. */
export interface Imported {
  type: string;
  /** Not always the one that was sent: where another space has that id, the copy gets one of its own. */
  id: string;
  title: string;
}

const DEFAULT_SPACE = 'default';
const REQUEST_TIMEOUT_MS = 60_000;
const ASK_AGAIN_AFTER_MS = 1_000;
/** What the network says of a server that may only be starting; a certificate or a protocol does not mend itself. */
const STARTING = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
]);
/** The version whose saved objects are written; older ones refuse them. */
const LEAST_MAJOR = 9;

/** The address of a page or an API path, in the space. */
export function inSpace({ url, space }: KibanaAccess, path: string): string {
  return `${url}${space === DEFAULT_SPACE ? '' : `/s/${encodeURIComponent(space)}`}${path}`;
}

/**
 * Waits until Kibana says that it is ready, as it takes a minute to start.
 * @param onWait told once, when there is something to wait for.
 * @throws CommandError when it is not there or not ready in time, is too old, or lets nobody in.
 */
export async function waitUntilReady(
  kibana: KibanaAccess,
  { giveUpAfterMs, onWait }: { giveUpAfterMs: number; onWait: (reason: string) => void },
): Promise<void> {
  const started = performance.now();
  for (let told = false; ; told = true) {
    const reason = await whyNotReady(kibana);
    if (reason === null) return;
    if (performance.now() - started >= giveUpAfterMs) {
      throw new CommandError(
        `Kibana at ${kibana.url} is not ready: ${reason}. Start it, or set KIBANA_URL; --wait SECONDS waits longer.`,
      );
    }
    if (!told) onWait(reason);
    await sleep(ASK_AGAIN_AFTER_MS);
  }
}

/** @returns null when it is ready. */
async function whyNotReady(kibana: KibanaAccess): Promise<string | null> {
  let response: Response;
  try {
    response = await request(kibana, `${kibana.url}/api/status`);
  } catch (error) {
    if (STARTING.has(reasonOf(error))) return reasonOf(error);
    return unreachable(kibana, error);
  }
  const body = await bodyOf(response);
  if (response.status === 502 || response.status === 503 || response.status === 504) {
    return body.status?.overall?.level ?? `it answers ${response.status}`;
  }
  refuse(kibana, response, body);
  const { level } = body.status?.overall ?? {};
  if (level === undefined) {
    throw new CommandError(
      `What answers at ${kibana.url} is not Kibana: set KIBANA_URL, with its base path.`,
    );
  }
  // Without a login that may see it, there is no version.
  const version = body.version?.number;
  if (version !== undefined && Number.parseInt(version) < LEAST_MAJOR) {
    throw new CommandError(
      `Kibana at ${kibana.url} is ${version}: these dashboards need ${LEAST_MAJOR}.0 or newer.`,
    );
  }
  // Dashboards are saved and shown in a degraded Kibana as well: some plugin of it waits for something.
  return level === 'available' || level === 'degraded' ? null : level;
}

/** @throws CommandError when there is no such space: Kibana would take the objects and never show them. */
export async function requireSpace(kibana: KibanaAccess): Promise<void> {
  if (kibana.space === DEFAULT_SPACE) return;
  const url = `${kibana.url}/api/spaces/space/${encodeURIComponent(kibana.space)}`;
  const response = await request(kibana, url).catch((error: unknown) => unreachable(kibana, error));
  const body = await bodyOf(response);
  if (response.status === 404) {
    throw new CommandError(`There is no space "${kibana.space}": create it in Kibana, or leave --space out.`);
  }
  refuse(kibana, response, body);
}

/**
 * Imports saved objects over what has the same ids.
 * @param ndjson one object a line.
 * @throws CommandError with every object that Kibana did not take, and why.
 */
export async function importObjects(kibana: KibanaAccess, ndjson: string): Promise<Imported[]> {
  const form = new FormData();
  // Kibana tells the format by the name.
  form.set('file', new Blob([ndjson], { type: 'application/ndjson' }), 'catalogue.ndjson');
  const url = inSpace(kibana, '/api/saved_objects/_import?overwrite=true');
  const response = await request(kibana, url, { method: 'POST', body: form }).catch((error: unknown) =>
    unreachable(kibana, error),
  );
  const body = await bodyOf(response);
  refuse(kibana, response, body);
  if (body.success !== true) {
    const errors = (body.errors ?? []).map(({ type, id, error }) => `  ${type} ${id}: ${describe(error)}`);
    throw new CommandError(['Kibana did not take everything:', ...errors].join('\n'));
  }
  return (body.successResults ?? []).map(({ type, id, destinationId, meta }) => ({
    type,
    id: destinationId ?? id,
    title: meta?.title ?? id,
  }));
}

/** What is read of Kibana's answers; all of it may be missing where a proxy answers. */
interface Body {
  message?: string;
  status?: { overall?: { level?: string } };
  version?: { number?: string };
  success?: boolean;
  errors?: { type: string; id: string; error?: ImportError }[];
  successResults?: { type: string; id: string; destinationId?: string; meta?: { title?: string } }[];
}

interface ImportError {
  type?: string;
  message?: string;
  reason?: string;
  references?: { type: string; id: string }[];
}

function describe(error: ImportError = {}): string {
  const missing = error.references?.map(({ type, id }) => `${type} ${id}`).join(', ');
  return [error.type ?? 'unknown', missing, error.message ?? error.reason].filter(Boolean).join(': ');
}

function request({ authorization }: KibanaAccess, url: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url, {
    ...init,
    headers: { 'kbn-xsrf': 'true', ...(authorization === null ? {} : { authorization }) },
    // To its login page, or to a base path that the address lacks: neither is an API.
    redirect: 'manual',
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
}

async function bodyOf(response: Response): Promise<Body> {
  const text = await response.text();
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    return {};
  }
}

/** @throws CommandError for an answer that is no success, with what the operator can do. */
function refuse({ url }: KibanaAccess, { status }: Response, { message }: Body): void {
  if (status === 401) {
    throw new CommandError(
      `Kibana at ${url} does not know this login (401): set KIBANA_API_KEY, or KIBANA_USERNAME and KIBANA_PASSWORD.`,
    );
  }
  if (status === 403) {
    throw new CommandError(
      `Kibana at ${url} does not allow it (403): the login needs all of Saved Objects Management, Dashboard and Data ` +
        'View Management in this space.',
    );
  }
  if (status >= 300 && status < 400) {
    throw new CommandError(`Kibana at ${url} redirects (${status}): set KIBANA_URL with its base path.`);
  }
  if (status >= 400) {
    throw new CommandError(
      `Kibana at ${url} answers ${status}${message === undefined ? '' : `: ${message}`}.`,
    );
  }
}

function unreachable({ url }: KibanaAccess, error: unknown): never {
  const reason = reasonOf(error);
  const advice = /CERT|SIGNED/.test(reason) ? ' Name its authority in NODE_EXTRA_CA_CERTS.' : '';
  throw new CommandError(`Kibana at ${url} cannot be reached: ${reason}.${advice}`, { cause: error });
}

/** What the network says; the error of `fetch` itself says nothing. */
function reasonOf(error: unknown): string {
  const { cause = error } = error as Error;
  const { code, message } = cause as NodeJS.ErrnoException;
  return code ?? message;
}
