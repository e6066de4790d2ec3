import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { TLSSocket } from 'node:tls';
import { buildConnector } from 'undici';
import { ConfigError } from '../platform/config/values.js';
import { CONNECTS_WITHIN_MS } from './connection.js';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The error codes with which Node.js and OpenSSL reject the certificate of a server. */
const REJECTED = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|ERR_TLS_CERT_ALTNAME_INVALID/;

export type LogMessage = (level: 'info' | 'warn' | 'error', message: string, error?: Error) => void;

/**
 * The certificate authorities in `ELASTICSEARCH_CA_FILE`, which may be replaced while the service runs: each new connection is
 * verified with the current content of the file, or with the previous one if the file cannot be used.
 */
export class CertificateAuthorities {
  /** The number of connections since the start that failed because a certificate was rejected. */
  failures = 0;
  private version = '';
  private connector: buildConnector.connector;
  /** When the certificate of each host expires, in seconds since 1970; null if it was rejected. */
  private readonly certificates = new Map<string, number | null>();

  /** @throws ConfigError if the PEM file cannot be read or contains no certificate. */
  constructor(
    private readonly file: string,
    private readonly log: LogMessage = () => undefined,
  ) {
    this.version = this.versionOfFile();
    try {
      this.connector = this.read();
    } catch (error) {
      throw new ConfigError(
        `ELASTICSEARCH_CA_FILE names ${file}, which cannot be used: ${codeOrMessage(error)}`,
      );
    }
  }

  /** The earliest expiry of the accepted certificates, in seconds since 1970; null if none is accepted. */
  get certificateEnds(): number | null {
    const ends = [...this.certificates.values()].filter((end) => end !== null);
    return ends.length === 0 ? null : Math.min(...ends);
  }

  /** Opens a connection to Elasticsearch and verifies the certificate of the server, as the option `connect` of undici. */
  readonly connect: buildConnector.connector = (options, callback) => {
    this.readAgainIfChanged();
    this.connector(options, (...outcome) => {
      const [error, socket] = outcome;
      const host = options.host ?? '';
      if (error === null) this.accepted(host, socket);
      else if (REJECTED.test((error as NodeJS.ErrnoException).code ?? '')) this.rejected(host, error);
      callback(...outcome);
    });
  };

  private readAgainIfChanged(): void {
    const version = this.versionOfFile();
    if (version === this.version) return;
    // The version is stored even if the file is unusable, so that the problem is logged once for each change of the file.
    this.version = version;
    try {
      this.connector = this.read();
      this.log('info', 'Read ELASTICSEARCH_CA_FILE again, which has changed');
    } catch (error) {
      this.log(
        'warn',
        `ELASTICSEARCH_CA_FILE has changed and cannot be used, so the authorities from before stay: ${codeOrMessage(error)}`,
      );
    }
  }

  /** Identifies the content of the CA file. The inode is included, because Kubernetes updates a secret by replacing a link. */
  private versionOfFile(): string {
    const { ino, ctimeMs, mtimeMs, size } = statSync(this.file, { throwIfNoEntry: false }) ?? {};
    return [ino, ctimeMs, mtimeMs, size].join();
  }

  /** Reads the file. The connections resume no TLS session, because the certificate would not be verified again. */
  private read(): buildConnector.connector {
    const text = readFileSync(this.file, 'utf8');
    const ca = text.match(CERTIFICATE) ?? [];
    if (ca.length === 0) throw new Error('it contains no certificate');
    if (ca.length !== text.split('-----BEGIN CERTIFICATE-----').length - 1)
      throw new Error('its last certificate is cut off');
    for (const certificate of ca) new X509Certificate(certificate);
    return buildConnector({ ca, maxCachedSessions: 0, timeout: CONNECTS_WITHIN_MS });
  }

  private accepted(host: string, socket: unknown): void {
    if (this.certificates.get(host) === null)
      this.log('info', `The certificate of Elasticsearch at ${host} is accepted again`);
    if (socket instanceof TLSSocket)
      this.certificates.set(host, Date.parse(socket.getPeerCertificate().valid_to) / 1_000);
  }

  private rejected(host: string, error: Error): void {
    this.failures += 1;
    // The rejection is logged once, although every attempt to connect fails.
    if (this.certificates.get(host) === null) return;
    this.certificates.set(host, null);
    this.log(
      'error',
      `Elasticsearch at ${host} presents a certificate that ELASTICSEARCH_CA_FILE does not vouch for: see docs/operations.md, "Certificates of Elasticsearch"`,
      error,
    );
  }
}

const codeOrMessage = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
};
