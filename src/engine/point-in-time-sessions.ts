import type { Client } from '@elastic/elasticsearch';

/** One client's session of reading pages from a point in time, which is a frozen view of the catalogue. */
interface PointInTimeSession {
  /** The id of the session, which stays the same if that of its point in time changes. */
  id: string;
  /** The current id of the session's point in time in Elasticsearch. */
  pit: string;
  client: string;
  /** Whether the client has an API key. The sessions of others are closed first. */
  hasKey: boolean;
  /** When Elasticsearch closes the point in time by itself, in milliseconds since 1970. */
  until: number;
}

/** The maximum number of sessions that this process tracks, for all clients together. */
const MAX_SESSIONS = 200;

/**
 * The sessions that clients page through. An open point in time keeps Elasticsearch from removing deleted documents, so their
 * number is limited for each client and in total: the least recently used session is closed first.
 */
export class PointInTimeSessions {
  /** The open sessions by their id; the most recently used one comes last. */
  private readonly open = new Map<string, PointInTimeSession>();

  get size(): number {
    return this.open.size;
  }

  touch(id: string): void {
    const session = this.open.get(id);
    if (session === undefined) return;
    this.open.delete(id);
    this.open.set(id, session);
  }

  /** Registers a session that was just opened or used, and closes those that its client used least recently, beyond `maxOfClient`. */
  use(
    es: Client,
    session: PointInTimeSession,
    { maxOfClient, now }: { maxOfClient: number; now: number },
  ): void {
    for (const { id, until } of this.open.values()) if (until <= now) this.open.delete(id);
    this.open.delete(session.id);
    this.open.set(session.id, session);
    const { client } = session;
    while (this.sessionsOf(client).length > maxOfClient) this.end(es, this.sessionsOf(client)[0]);
    while (this.open.size > MAX_SESSIONS) {
      const withoutKey = [...this.open.values()].find(({ hasKey }) => !hasKey);
      this.end(es, withoutKey ?? this.sessionsOf(this.clientWithMost())[0]);
    }
  }

  /** Closes a session. Never fails, because Elasticsearch closes it after its keep-alive. */
  end(es: Client, session: Pick<PointInTimeSession, 'id' | 'pit'> | undefined): void {
    if (session === undefined) return;
    this.open.delete(session.id);
    es.closePointInTime({ id: session.pit }, { ignore: [404] }).catch(() => undefined);
  }

  /** The sessions of a client, the least recently used one first. */
  private sessionsOf(client: string): PointInTimeSession[] {
    return [...this.open.values()].filter((session) => session.client === client);
  }

  private clientWithMost(): string {
    const clients = [...new Set([...this.open.values()].map(({ client }) => client))];
    return clients.reduce((a, b) => (this.sessionsOf(b).length > this.sessionsOf(a).length ? b : a));
  }
}
