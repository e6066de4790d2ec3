import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '../platform/answer.js';

/** An answer whose body is JSON already. */
type AnswerInBytes = Answer & { body: Buffer };

/** What answers are kept in, by what they are made of. */
export interface Caches {
  listings: ResponseCache;
  suggestions: ResponseCache;
}

/** What is kept of a question: at first that it was asked, then its answer and the version that it is of. */
interface Kept {
  bytes: number;
  answer: AnswerInBytes | null;
  version: string | null;
}

/** From so many questions at once on, it is worth while to find out whether one was answered already. */
export const BUSY = 5;

/** Nobody waits longer for a version: the engine is in trouble then. */
const WAITS_MS = 100;

export const MOST_BYTES = 32 * 1024 * 1024;

/** Of an entry, besides its question and its answer's body. */
const OVERHEAD_BYTES = 500;

/**
 * A response cache for what is asked again and again while there is much to do: as long as the catalogue stays as it
 * is, popular searches then cost the engine next to nothing. No answer is staler than a search of the engine would be.
 * What is asked once is not kept. Bounded: what was not asked for longest gives way.
 */
export class ResponseCache {
  /** The one that was asked last comes last. */
  private readonly kept = new Map<string, Kept>();
  private bytes = 0;
  /** How many questions are being answered. */
  private asking = 0;
  /** The version that was found last. */
  private latest: string | null = null;
  private finding: Promise<string | null> | null = null;
  private findingNext: Promise<string | null> | null = null;

  /**
   * @param find names the catalogue as searches see it now: another name after every change. It may fail, and then
   * nothing is known.
   */
  constructor(
    private readonly find: () => Promise<string>,
    private readonly bounds = { busy: BUSY, bytes: MOST_BYTES },
  ) {}

  /**
   * The answer to a question: a kept one if asking now would give the same, else what `ask` gives, which is no stream.
   * @param question all that the answer depends on besides the catalogue.
   */
  async answer(question: string, ask: () => Promise<Answer> | Answer): Promise<Answer> {
    this.asking += 1;
    try {
      return await (this.asking < this.bounds.busy ? ask() : this.keptOr(question, ask));
    } finally {
      this.asking -= 1;
    }
  }

  /** How much is kept. */
  get held(): { questions: number; bytes: number } {
    return { questions: this.kept.size, bytes: this.bytes };
  }

  private async keptOr(question: string, ask: () => Promise<Answer> | Answer): Promise<Answer> {
    const kept = this.kept.get(question);
    if (kept === undefined) {
      this.keep(question, null, null);
      return ask();
    }
    // One that was found before the answer is: should the catalogue change, the answer is forgotten early, not late.
    let version = this.latest;
    if (version === null || kept.version === version) version = await this.currentVersion();
    if (kept.answer !== null && kept.version === version) {
      this.keep(question, kept.answer, version);
      return kept.answer;
    }
    const answer = inBytes(await ask());
    if (version !== null) this.keep(question, answer, version);
    return answer;
  }

  /** One look for all who wait, begun after they came: what they know to be written must be seen. */
  private currentVersion(): Promise<string | null> {
    if (this.finding === null) return this.findNow();
    this.findingNext ??= this.finding.then(() => this.findNow());
    return this.findingNext;
  }

  private findNow(): Promise<string | null> {
    this.findingNext = null;
    const found = this.find().then(
      (version) => (this.latest = version),
      () => null,
    );
    const late = sleep(WAITS_MS, null, { ref: false });
    const finding = Promise.race([found, late]).finally(() => {
      this.finding = null;
    });
    this.finding = finding;
    return finding;
  }

  private keep(question: string, answer: AnswerInBytes | null, version: string | null): void {
    this.drop(question);
    const bytes = OVERHEAD_BYTES + 2 * question.length + (answer?.body.length ?? 0);
    this.kept.set(question, { bytes, answer, version });
    this.bytes += bytes;
    for (const oldest of this.kept.keys()) {
      if (this.bytes <= this.bounds.bytes) return;
      this.drop(oldest);
    }
  }

  private drop(question: string): void {
    this.bytes -= this.kept.get(question)?.bytes ?? 0;
    this.kept.delete(question);
  }
}

function inBytes(answer: Answer): AnswerInBytes {
  const { body } = answer;
  return { ...answer, body: Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body)) };
}
