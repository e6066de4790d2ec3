import { LRUCache } from 'lru-cache';
import { networkOf } from './access/client-address.js';

/** How long a document is used without being fetched again, and how long a failure is remembered, in ms. */
const TTL_MS = 10 * 60_000;
const FAILURE_TTL_MS = 60_000;
const MAX_DOCUMENTS = 500;

/** The number of documents that are fetched at the same time, for one network and for all of them together. */
const FETCHES = { ofNetwork: 2, ofAll: 8 };

interface DocumentReader<T> {
  /** Fetches and reads a document. An error is remembered as a failure. */
  read(url: string): Promise<T>;
  /** Whether a document that was read counts as a failure, which is remembered for a shorter time. */
  isFailure?(document: T): boolean;
  busy(): Error;
}

/** A cache of documents that clients name, which limits memory and outgoing requests, and the fetches of each network. */
export class DocumentCache<T> {
  private readonly documents = new LRUCache<string, Promise<T>>({ max: MAX_DOCUMENTS, ttl: TTL_MS });
  /** The networks of the clients for which documents are being fetched, one entry for each fetch. */
  private readonly fetching: string[] = [];

  constructor(private readonly reader: DocumentReader<T>) {}

  /** Returns a document, which is fetched unless it is known. @param address the address of the client that names it. */
  async get(url: string, address: string): Promise<T> {
    const known = this.documents.get(url);
    if (known !== undefined) return known;
    const network = networkOf(address);
    const own = this.fetching.filter((one) => one === network).length;
    if (own >= FETCHES.ofNetwork || this.fetching.length >= FETCHES.ofAll) throw this.reader.busy();
    const reading = this.read(url, network);
    this.documents.set(url, reading);
    const forgetSoon = () => this.documents.set(url, reading, { ttl: FAILURE_TTL_MS });
    reading.then((document) => {
      if (this.reader.isFailure?.(document) === true) forgetSoon();
    }, forgetSoon);
    return reading;
  }

  private async read(url: string, network: string): Promise<T> {
    this.fetching.push(network);
    try {
      return await this.reader.read(url);
    } finally {
      this.fetching.splice(this.fetching.indexOf(network), 1);
    }
  }
}
