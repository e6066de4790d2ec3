import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { get } from 'node:https';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';

export interface NodeCertificates {
  authority: string;
  certificate: string;
  key: string;
}

/** Creates an authority and a certificate for all nodes, valid for two days: NAME-ca.crt, NAME-ca.key, NAME.crt and NAME.key. */
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

const FILES = { authority: 'ca.crt', key: 'node.key', certificate: 'node.crt' } as const;

export const certificateFiles = (certificates: NodeCertificates): Record<string, string> => ({
  [`certificates/${FILES.authority}`]: certificates.authority,
  [`certificates/${FILES.key}`]: certificates.key,
  [`certificates/${FILES.certificate}`]: certificates.certificate,
});

/** The settings with which a node uses its certificate files, for clients and for other nodes. */
export const certificateSettings: Record<string, string | boolean> = Object.fromEntries(
  ['http', 'transport'].flatMap((layer) => [
    [`xpack.security.${layer}.ssl.enabled`, true],
    [`xpack.security.${layer}.ssl.key`, `certificates/${FILES.key}`],
    [`xpack.security.${layer}.ssl.certificate`, `certificates/${FILES.certificate}`],
    [`xpack.security.${layer}.ssl.certificate_authorities`, `certificates/${FILES.authority}`],
  ]),
);

/** Returns the authority of the certificate that a node presents; null if the node does not respond. */
export const presentedAuthority = (url: string): Promise<string | null> =>
  new Promise((resolve) => {
    const request = get(url, { rejectUnauthorized: false, agent: false }, (response) => {
      const { issuer } = (response.socket as TLSSocket).getPeerCertificate();
      response.resume();
      resolve(String(issuer.CN));
    });
    request.on('error', () => resolve(null));
  });
