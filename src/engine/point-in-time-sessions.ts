import type { Client } from '@elastic/elasticsearch';

/** A client's paging through one point in time of Elasticsearch. */
export interface PointInTimeSession {
  /** The id of the session. Elasticsearch may rename the point in time between two pages. */
  id: string;
  /** The current id of the point in time. */
  pit: string;
  /** The id of the API key that opened the session. */
  client: string;
  /** When Elasticsearch closes the point in time by itself, in milliseconds since 1970. */
  until: number;
}

/** The maximum number of sessions that this process knows, for all clients together. */
const MAX_SESSIONS = 200;

/**
 * The point-in-time sessions that clients page through. An open point in time prevents Elasticsearch from removing documents
 * that were deleted since, so the sessions of each client and of all clients together are limited: when the limit is
 * exceeded, the session that was not used for the longest time is closed.
 */
export class PointInTimeSessions {
  /** By id; the most recently used session comes last. */
  private readonly open = new Map<string, PointInTimeSession>();

  constructor(private readonly maxSessions = MAX_SESSIONS) {}

  /** The number of sessions that are known to be open. */
  get size(): number {
    return this.open.size;
  }

  /** Marks a session as the most recently used one, if it is known in this process. */
  touch(id: string): void {
    const session = this.open.get(id);
    if (session === undefined) return;
    this.open.delete(id);
    this.open.set(id, session);
  }

  /**
   * Registers a session whose point in time exists, because it was just opened or a page of it was just read. The session may
   * have begun in another process. Closes the least recently used sessions if there are too many.
   * @param maxOfClient the maximum number of sessions of this client.
   */
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
    while (this.open.size > this.maxSessions) this.end(es, this.sessionsOf(this.clientWithMost())[0]);
  }

  /** Closes a session. Never fails, because Elasticsearch closes the point in time by itself after its keep-alive. */
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
