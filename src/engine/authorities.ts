import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { TLSSocket } from 'node:tls';
import { buildConnector } from 'undici';
import { ConfigError } from '../platform/config/error.js';
import { CONNECTS_WITHIN_MS } from './connection.js';

/** A certificate in a PEM file, of which there may be several. */
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The codes with which Node.js and OpenSSL refuse the certificate of a server. */
const REFUSED = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|ERR_TLS_CERT_ALTNAME_INVALID/;

/** Is told what happens to the authorities and to connections, for the log. */
export type Say = (level: 'info' | 'warn' | 'error', message: string, error?: Error) => void;

/**
 * The authorities in `ELASTICSEARCH_CA_FILE` that may vouch for the certificates of Elasticsearch. The file may be replaced
 * while the service runs: each new connection is verified with the file as it is then. A file that cannot be used, because
 * it is being written for example, leaves the authorities as they were.
 */
export class Authorities {
  /** Connections that were refused because of the certificate that Elasticsearch presented. */
  failures = 0;
  private version = '';
  private connector: buildConnector.connector;
  /** By host: when the certificate ends that was accepted last, in seconds since 1970; null: the last one was refused. */
  private readonly certificates = new Map<string, number | null>();

  /** @throws ConfigError where the file cannot be read or holds no certificate. */
  constructor(
    private readonly file: string,
    private readonly say: Say = () => undefined,
  ) {
    this.version = this.versionOfFile();
    try {
      this.connector = this.read();
    } catch (error) {
      throw new ConfigError(`ELASTICSEARCH_CA_FILE names ${file}, which cannot be used: ${reasonOf(error)}`);
    }
  }

  /** When the first certificate ends that the nodes presented last, in seconds since 1970; null: none is accepted. */
  get certificateEnds(): number | null {
    const ends = [...this.certificates.values()].filter((end) => end !== null);
    return ends.length === 0 ? null : Math.min(...ends);
  }

  /** Opens a connection and verifies the certificate of Elasticsearch; for the option `connect` of undici. */
  readonly connect: buildConnector.connector = (options, callback) => {
    this.readAgainIfChanged();
    this.connector(options, (...outcome) => {
      const [error, socket] = outcome;
      const host = options.host ?? '';
      if (error === null) this.accepted(host, socket);
      else if (REFUSED.test((error as NodeJS.ErrnoException).code ?? '')) this.refused(host, error);
      callback(...outcome);
    });
  };

  private readAgainIfChanged(): void {
    const version = this.versionOfFile();
    if (version === this.version) return;
    // A file that cannot be used is told once, and read again once it has changed.
    this.version = version;
    try {
      this.connector = this.read();
      this.say('info', 'Read ELASTICSEARCH_CA_FILE again, which has changed');
    } catch (error) {
      this.say(
        'warn',
        `ELASTICSEARCH_CA_FILE has changed and cannot be used, so the authorities from before stay: ${reasonOf(error)}`,
      );
    }
  }

  /** Follows symbolic links, which is how a secret of Kubernetes changes. A file that is not there has a version, too. */
  private versionOfFile(): string {
    const { ino, ctimeMs, mtimeMs, size } = statSync(this.file, { throwIfNoEntry: false }) ?? {};
    return [ino, ctimeMs, mtimeMs, size].join();
  }

  /** No TLS session is resumed, because the certificate is not verified again then. */
  private read(): buildConnector.connector {
    const text = readFileSync(this.file, 'utf8');
    const ca = text.match(CERTIFICATE) ?? [];
    if (ca.length === 0) throw new Error('it holds no certificate');
    if (ca.length !== text.split('-----BEGIN CERTIFICATE-----').length - 1)
      throw new Error('its last certificate is cut off');
    // Throws for a certificate that cannot be read.
    for (const certificate of ca) new X509Certificate(certificate);
    return buildConnector({ ca, maxCachedSessions: 0, timeout: CONNECTS_WITHIN_MS });
  }

  private accepted(host: string, socket: unknown): void {
    if (this.certificates.get(host) === null)
      this.say('info', `The certificate of Elasticsearch at ${host} is accepted again`);
    if (socket instanceof TLSSocket)
      this.certificates.set(host, Date.parse(socket.getPeerCertificate().valid_to) / 1_000);
  }

  private refused(host: string, error: Error): void {
    this.failures += 1;
    // Each node is told once.
    if (this.certificates.get(host) === null) return;
    this.certificates.set(host, null);
    this.say(
      'error',
      `Elasticsearch at ${host} presents a certificate that ELASTICSEARCH_CA_FILE does not vouch for: see docs/operations.md, "Certificates of Elasticsearch"`,
      error,
    );
  }
}

const reasonOf = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
};
