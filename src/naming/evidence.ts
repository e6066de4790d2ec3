/** The kinds of evidence by number, so that the weights of a kind are one row of a table. Number 0 is no evidence. */
const numbers = new Map<string, number>([['', 0]]);

/** The number of a kind of evidence, such as `lexicon colour`. */
export function evidence(name: string): number {
  const known = numbers.get(name);
  if (known !== undefined) return known;
  numbers.set(name, numbers.size);
  return numbers.size - 1;
}

/** All kinds of evidence that classifiers can find, in the order of their numbers. */
export const evidenceNames = (): string[] => [...numbers.keys()];

/** The numbers of kinds of evidence that differ in a member of a list: `evidenceOf('lexicon', ['kind', 'colour'])`. */
export const evidenceOf = <Name extends string>(
  prefix: string,
  names: readonly Name[],
): Readonly<Record<Name, number>> =>
  Object.fromEntries(names.map((name) => [name, evidence(`${prefix} ${name}`)])) as Record<Name, number>;

/** The numbers of two kinds of evidence: for the first token of a span (`stated maker`), and for its other tokens. */
export const spanEvidence = (name: string): [first: number, inside: number] => [
  evidence(name),
  evidence(`${name} (continued)`),
];

/** What classifiers propose for the tokens of a text: kinds of evidence, and where spans with one role begin. */
export class Proposals {
  readonly #found: number[][];
  readonly #starts = new Set<number>();
  readonly #joined = new Set<number>();

  constructor(readonly length: number) {
    this.#found = Array.from({ length }, () => []);
  }

  add(token: number, kind: number): void {
    const found = this.#found[token];
    if (kind !== 0 && found !== undefined && !found.includes(kind)) found.push(kind);
  }

  /** Adds evidence for the tokens from `from` to `to` (exclusive), which belong together. */
  addSpan(from: number, to: number, first: number, inside = first): void {
    for (let token = from; token < to; token += 1) this.add(token, token === from ? first : inside);
    this.#starts.add(from);
  }

  /** Notes that the tokens from `from` to `to` (exclusive) are one expression, such as `3 x 330 ml`. */
  join(from: number, to: number): void {
    for (let token = from + 1; token < to; token += 1) this.#joined.add(token);
  }

  of(token: number): readonly number[] {
    return this.#found[token] ?? [];
  }

  /** Whether a run of tokens that form one expression begins with this token. */
  startsSpan(token: number): boolean {
    return this.#starts.has(token) && !this.#joined.has(token);
  }
}
