import { setTimeout as sleep } from 'node:timers/promises';
import { CommandError } from '../shared/exit.js';

export interface KibanaAccess {
  /** The URL of Kibana, including its base path, without a slash at the end. */
  url: string;
  authorization: string | null;
  space: string;
}

export interface Imported {
  type: string;
  /** The id that Kibana gave the imported object. It is a new one if another space has an object with the requested id. */
  id: string;
  title: string;
}

const DEFAULT_SPACE = 'default';
const REQUEST_TIMEOUT_MS = 60_000;
const POLL_MS = 1_000;
/** Network errors of a Kibana that is still starting. Others, such as certificate errors, are permanent. */
const STARTING = /^(?:ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|UND_ERR_SOCKET|UND_ERR_CONNECT_TIMEOUT)$/;
/** The oldest supported major version of Kibana, because older versions reject the format of the saved objects. */
const MIN_MAJOR = 9;

export function inSpace({ url, space }: KibanaAccess, path: string): string {
  return `${url}${space === DEFAULT_SPACE ? '' : `/s/${encodeURIComponent(space)}`}${path}`;
}

/** Waits until Kibana is ready. Calls `onWait` once if it is not ready at first. */
export async function waitUntilReady(
  kibana: KibanaAccess,
  { giveUpAfterMs, onWait }: { giveUpAfterMs: number; onWait: (reason: string) => void },
): Promise<void> {
  const started = performance.now();
  for (let waiting = false; ; waiting = true) {
    const reason = await whyNotReady(kibana);
    if (reason === null) return;
    if (performance.now() - started >= giveUpAfterMs) {
      throw new CommandError(
        `Kibana at ${kibana.url} is not ready: ${reason}. Start it, or set KIBANA_URL; --wait SECONDS waits longer.`,
      );
    }
    if (!waiting) onWait(reason);
    await sleep(POLL_MS);
  }
}

async function whyNotReady(kibana: KibanaAccess): Promise<string | null> {
  const { url } = kibana;
  const response = await send(kibana, `${url}/api/status`).catch((error: unknown) => {
    if (STARTING.test(codeOrMessage(error))) return codeOrMessage(error);
    throw unreachable(kibana, error);
  });
  if (typeof response === 'string') return response;
  const { status, body } = response;
  const level = body.status?.overall?.level;
  if ([502, 503, 504].includes(status)) return level ?? `it responds with status ${status}`;
  refuse(kibana, response);
  if (level === undefined)
    throw new CommandError(`The server at ${url} is not Kibana: set KIBANA_URL with its base path.`);
  // The version may be missing, because Kibana states it only to users who may see it.
  const version = body.version?.number;
  if (version !== undefined && Number.parseInt(version) < MIN_MAJOR)
    throw new CommandError(`Kibana at ${url} is ${version}: these dashboards need ${MIN_MAJOR}.0 or newer.`);
  // A degraded Kibana, in which some plugin is not ready, can save and display dashboards.
  return level === 'available' || level === 'degraded' ? null : level;
}

export async function requireSpace(kibana: KibanaAccess): Promise<void> {
  if (kibana.space === DEFAULT_SPACE) return;
  const response = await reach(kibana, `${kibana.url}/api/spaces/space/${encodeURIComponent(kibana.space)}`);
  if (response.status === 404)
    throw new CommandError(`There is no space "${kibana.space}": create it in Kibana, or leave --space out.`);
  refuse(kibana, response);
}

/** Imports saved objects as NDJSON, and overwrites those with the same ids. */
export async function importObjects(kibana: KibanaAccess, ndjson: string): Promise<Imported[]> {
  const form = new FormData();
  // Kibana recognizes the format of the import by the extension of the file name.
  form.set('file', new Blob([ndjson], { type: 'application/ndjson' }), 'catalogue.ndjson');
  const url = inSpace(kibana, '/api/saved_objects/_import?overwrite=true');
  const response = await reach(kibana, url, { method: 'POST', body: form });
  refuse(kibana, response);
  const { success, errors = [], successResults = [] } = response.body;
  if (success !== true) {
    const lines = errors.map(({ type, id, error }) => `  ${type} ${id}: ${importErrorText(error)}`);
    throw new CommandError(['Kibana rejected some objects:', ...lines].join('\n'));
  }
  return successResults.map(({ type, id, destinationId, meta }) => ({
    type,
    id: destinationId ?? id,
    title: meta?.title ?? id,
  }));
}

interface KibanaBody {
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

function importErrorText(error: ImportError = {}): string {
  const missing = error.references?.map(({ type, id }) => `${type} ${id}`).join(', ');
  return [error.type ?? 'unknown', missing, error.message ?? error.reason].filter(Boolean).join(': ');
}

interface KibanaResponse {
  status: number;
  /** The body of the response; empty if it is not a JSON object. */
  body: KibanaBody;
}

const reach = (kibana: KibanaAccess, url: string, init?: RequestInit): Promise<KibanaResponse> =>
  send(kibana, url, init).catch((error: unknown) => {
    throw unreachable(kibana, error);
  });

async function send(
  { authorization }: KibanaAccess,
  url: string,
  init: RequestInit = {},
): Promise<KibanaResponse> {
  const response = await fetch(url, {
    ...init,
    headers: { 'kbn-xsrf': 'true', ...(authorization === null ? {} : { authorization }) },
    // A redirect leads to the login page or to a missing base path, never to an API.
    redirect: 'manual',
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
  const body: unknown = await response.json().catch(() => null);
  return { status: response.status, body: typeof body === 'object' && body !== null ? body : {} };
}

/** Throws a CommandError that states what the operator can do about an unsuccessful response of Kibana. */
function refuse({ url }: KibanaAccess, { status, body: { message } }: KibanaResponse): void {
  if (status < 300) return;
  const reason = message === undefined ? '' : `: ${message}`;
  const texts: Record<number, string> = {
    401: 'rejects the credentials (401): set KIBANA_API_KEY, or KIBANA_USERNAME and KIBANA_PASSWORD',
    403: 'does not permit this (403): the user needs all privileges of Saved Objects Management, Dashboard and Data View Management in this space',
  };
  const redirects = `redirects (${status}): set KIBANA_URL with its base path`;
  const text = texts[status] ?? (status < 400 ? redirects : `responds with status ${status}${reason}`);
  throw new CommandError(`Kibana at ${url} ${text}.`);
}

function unreachable({ url }: KibanaAccess, error: unknown): CommandError {
  const reason = codeOrMessage(error);
  const advice = /CERT|SIGNED/.test(reason) ? ' Set NODE_EXTRA_CA_CERTS to its certificate authority.' : '';
  return new CommandError(`Kibana at ${url} cannot be reached: ${reason}.${advice}`, { cause: error });
}

function codeOrMessage(error: unknown): string {
  const { cause = error } = error as Error;
  const { code, message } = cause as NodeJS.ErrnoException;
  return code ?? message;
}
