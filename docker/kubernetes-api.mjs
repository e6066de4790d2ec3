/**
 * node kubernetes-api.mjs RESOURCE_VERSION COMMAND...: runs a command, such as `helm template
 * --dry-run=server`, with an imitation of the part of the Kubernetes API that `lookup` in a chart uses: every
 * Secret exists and has this resourceVersion.
 */
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [resourceVersion, command, ...args] = process.argv.slice(2);
const list = { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: 'v1' };
const answers = {
  '/version': { major: '1', minor: '30', gitVersion: 'v1.30.0' },
  '/api': { kind: 'APIVersions', versions: ['v1'] },
  '/apis': { kind: 'APIGroupList', apiVersion: 'v1', groups: [] },
  '/api/v1': { ...list, resources: [{ name: 'secrets', namespaced: true, kind: 'Secret', verbs: ['get'] }] },
};
const server = createServer(({ url = '' }, response) => {
  const [path] = url.split('?');
  const secret = /^\/api\/v1\/namespaces\/([^/]+)\/secrets\/([^/]+)$/.exec(path);
  const body = secret
    ? {
        kind: 'Secret',
        apiVersion: 'v1',
        metadata: { namespace: secret[1], name: secret[2], resourceVersion },
      }
    : answers[path];
  const missing = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 };
  response.writeHead(body ? 200 : 404, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body ?? missing));
}).listen(0, '127.0.0.1', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kubernetes-'));
  const cluster = { name: 'c', cluster: { server: `http://127.0.0.1:${server.address().port}` } };
  const contexts = [{ name: 'c', context: { cluster: 'c', user: 'u' } }];
  const users = [{ name: 'u', user: {} }];
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [cluster],
    contexts,
    users,
    'current-context': 'c',
  };
  writeFileSync(join(folder, 'config'), JSON.stringify(config));
  const env = { ...process.env, KUBECONFIG: join(folder, 'config') };
  const end = (code) => {
    rmSync(folder, { recursive: true });
    process.exit(code);
  };
  spawn(command, args, { stdio: 'inherit', env })
    .on('error', (error) => {
      console.error(error.message);
      end(1);
    })
    .on('exit', (code) => end(code ?? 1));
});
