/**
 * node healthcheck.mjs PATH: succeeds if the service in this container responds to a GET request for PATH
 * with a status 2xx. The image has no curl.
 */
const [path = '/livez'] = process.argv.slice(2);
const url = `http://127.0.0.1:${process.env.PORT ?? 3000}${path}`;
try {
  const { ok, status } = await fetch(url, { signal: AbortSignal.timeout(4_000) });
  if (!ok) console.error(`${path}: ${status}`);
  process.exitCode = ok ? 0 : 1;
} catch (error) {
  console.error(`${path}: ${error.cause?.message ?? error.message}`);
  process.exitCode = 1;
}
