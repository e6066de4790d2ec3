import type { Client } from '@elastic/elasticsearch';

/** One client's way through a point in time. */
export interface Walk {
  /** Of the walk: the engine may give its point in time another name on the way. */
  id: string;
  pit: string;
  /** Whose it is. */
  client: string;
  /** When the engine forgets it, in ms since 1970. */
  until: number;
}

/** Points in time that are open at once in this process, whosever they are. */
const MOST = 200;

/**
 * Points in time that clients walk through, page by page. Each of them keeps what was deleted since from being cleared
 * away, so a client has a few, and all together have not many: who opens one more loses the one that it has left longest.
 */
export class Walks {
  /** The one that was used last comes last. */
  private readonly open = new Map<string, Walk>();

  constructor(private readonly most = MOST) {}

  /** How many are known to be open. */
  get size(): number {
    return this.open.size;
  }

  /** Marks a walk as the one that was used last, if it is known here. */
  touch(id: string): void {
    const walk = this.open.get(id);
    if (walk === undefined) return;
    this.open.delete(id);
    this.open.set(id, walk);
  }

  /**
   * Registers a walk whose point in time exists: it was just opened, or a page of it was just read. It may have begun in
   * another process. Where there are too many, those that were used longest ago are ended.
   * @param own how many its client may have.
   */
  use(es: Client, walk: Walk, { own, now }: { own: number; now: number }): void {
    for (const { id, until } of this.open.values()) if (until <= now) this.open.delete(id);
    this.open.delete(walk.id);
    this.open.set(walk.id, walk);
    while (this.of(walk.client).length > own) this.end(es, this.of(walk.client)[0]);
    while (this.open.size > this.most) this.end(es, this.of(this.greediest())[0]);
  }

  /** Nobody goes on with it. Never fails, for the engine forgets it by itself in the end. */
  end(es: Client, walk: Pick<Walk, 'id' | 'pit'> | undefined): void {
    if (walk === undefined) return;
    this.open.delete(walk.id);
    es.closePointInTime({ id: walk.pit }, { ignore: [404] }).catch(() => undefined);
  }

  private of(client: string): Walk[] {
    return [...this.open.values()].filter((walk) => walk.client === client);
  }

  private greediest(): string {
    const clients = [...new Set([...this.open.values()].map(({ client }) => client))];
    return clients.reduce((one, other) => (this.of(other).length > this.of(one).length ? other : one));
  }
}
