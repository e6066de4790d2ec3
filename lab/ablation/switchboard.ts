/** The switches of the rules of instrumented source: which one is off, and, if recorded, which had an effect. */
export class Switchboard {
  /** The number of the rule that is off; -1 if none is. */
  off = -1;
  /** The rules that had an effect since this set was set; null if that is not recorded. */
  effective: Set<number> | null = null;
  /** Changes whenever a rule is switched, because what was memoized is then no longer valid. */
  generation = 0;
  readonly #patterns = new Map<number, [RegExp, source: string][]>();
  readonly #numbers = new Map<RegExp, number>();

  readonly truthy = <T>(rule: number, value: T): T => this.#note(rule, Boolean(value), value);
  readonly falsy = <T>(rule: number, value: T): T => this.#note(rule, !value, value);

  filter<Args extends unknown[]>(
    rule: number,
    keeps: (...args: Args) => unknown,
  ): (...args: Args) => unknown {
    return (...args) => this.off === rule || this.falsy(rule, keeps(...args));
  }

  pattern(rule: number, pattern: RegExp): RegExp {
    const known = this.#patterns.get(rule) ?? [];
    this.#patterns.set(rule, [...known, [pattern, pattern.source] as [RegExp, string]].slice(-MAX_PATTERNS));
    this.#numbers.set(pattern, rule);
    return this.off === rule ? new RegExp(NOTHING, pattern.flags) : pattern;
  }

  switchOff(rule: number): void {
    for (const [pattern, source] of this.#patterns.get(this.off) ?? []) recompile(pattern, source);
    for (const [pattern] of this.#patterns.get(rule) ?? []) recompile(pattern, NOTHING);
    this.off = rule;
    this.generation += 1;
  }

  /** Runs a function, and returns the rules that had an effect: other ones need not be switched off for it. */
  effectsOf(run: () => void): Set<number> {
    const outer = this.effective;
    const found = new Set<number>();
    this.effective = found;
    const { exec } = RegExp.prototype;
    const [matchAll, split] = [RegExp.prototype[Symbol.matchAll], RegExp.prototype[Symbol.split]];
    const note = (pattern: RegExp, text: string) => {
      const rule = this.#numbers.get(pattern);
      if (
        rule !== undefined &&
        exec.call(new RegExp(pattern.source, pattern.flags.replace('g', '')), text) !== null
      )
        found.add(rule);
    };
    RegExp.prototype.exec = function (text) {
      note(this, text);
      return exec.call(this, text);
    };
    RegExp.prototype[Symbol.matchAll] = function (text) {
      note(this, text);
      return matchAll.call(this, text);
    };
    RegExp.prototype[Symbol.split] = function (text, limit) {
      note(this, text);
      return split.call(this, text, limit);
    };
    try {
      run();
    } finally {
      RegExp.prototype.exec = exec;
      RegExp.prototype[Symbol.matchAll] = matchAll;
      RegExp.prototype[Symbol.split] = split;
      this.effective = outer;
    }
    for (const rule of found) outer?.add(rule);
    return found;
  }

  #note<T>(rule: number, hadEffect: boolean, value: T): T {
    if (hadEffect) this.effective?.add(rule);
    return value;
  }
}

/** The source of a pattern that matches nothing. */
const NOTHING = '(?!)';
/** Patterns that functions compile are many; the last ones suffice. */
const MAX_PATTERNS = 64;

/** Changes a pattern in place, because modules keep it in constants. */
const recompile = (pattern: RegExp, source: string): void => {
  (pattern as RegExp & { compile: (source: string, flags: string) => void }).compile(source, pattern.flags);
};
