import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { get } from 'node:https';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';

/**
 * PEM texts of a node of Elasticsearch: its certificate, its private key, and the certificate of the
 * authority that signed it.
 */
export interface NodeCertificates {
  authority: string;
  certificate: string;
  key: string;
}

/**
 * Creates a certificate authority and one certificate for all nodes with openssl. Both are valid for two
 * days.
 * @param folder receives the files `NAME-ca.crt`, `NAME-ca.key`, `NAME.crt` and `NAME.key`.
 * @param names the subject alternative names of the certificate, in the notation of openssl.
 */
export function issueCertificates(
  folder: string,
  name: string,
  names: readonly string[] = ['IP:127.0.0.1'],
): NodeCertificates {
  const openssl = (args: string) =>
    execFileSync('openssl', args.split(' '), { cwd: folder, stdio: 'ignore' });
  const newKey = '-newkey rsa:2048 -noenc';
  openssl(`req -x509 ${newKey} -keyout ${name}-ca.key -out ${name}-ca.crt -subj /CN=${name} -days 2`);
  openssl(
    `req ${newKey} -keyout ${name}.key -out ${name}.csr -subj /CN=node-of-${name} -addext subjectAltName=${names.join(',')}`,
  );
  openssl(
    `x509 -req -in ${name}.csr -CA ${name}-ca.crt -CAkey ${name}-ca.key -out ${name}.crt -days 2 -copy_extensions copy`,
  );
  const text = (file: string) => readFileSync(join(folder, file), 'utf8');
  return { authority: text(`${name}-ca.crt`), certificate: text(`${name}.crt`), key: text(`${name}.key`) };
}

const FILES = { key: 'node.key', certificate: 'node.crt', authority: 'ca.crt' } as const;

/** Returns the contents of the certificate files of a node, by their paths in the node's `config` folder. */
export const certificateFiles = (certificates: NodeCertificates): Record<string, string> =>
  Object.fromEntries(
    (['authority', 'key', 'certificate'] as const).map((part) => [
      `certificates/${FILES[part]}`,
      certificates[part],
    ]),
  );

/**
 * The Elasticsearch settings with which a node uses its certificate files, for clients and for other nodes.
 */
export const certificateSettings: Record<string, string | boolean> = Object.fromEntries(
  ['http', 'transport'].flatMap((layer) => [
    [`xpack.security.${layer}.ssl.enabled`, true],
    [`xpack.security.${layer}.ssl.key`, `certificates/${FILES.key}`],
    [`xpack.security.${layer}.ssl.certificate`, `certificates/${FILES.certificate}`],
    [`xpack.security.${layer}.ssl.certificate_authorities`, `certificates/${FILES.authority}`],
  ]),
);

/**
 * Returns the name of the authority that signed the certificate a node presents to a new connection; null
 * if the node does not respond.
 */
export const presentedAuthority = (url: string): Promise<string | null> =>
  new Promise((resolve) => {
    const request = get(url, { rejectUnauthorized: false, agent: false }, (response) => {
      const { issuer } = (response.socket as TLSSocket).getPeerCertificate();
      response.resume();
      resolve(String(issuer.CN));
    });
    request.on('error', () => resolve(null));
  });
