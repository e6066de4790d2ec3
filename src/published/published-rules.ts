import type { Client } from '@elastic/elasticsearch';
import { LRUCache } from 'lru-cache';
import type { RuleSet } from '../engine/queries/rules.js';
import { compileRules, NO_RULES } from './compile-rules.js';
import { expired } from '../platform/errors.js';
import { OperationError } from '../platform/operation-errors.js';
import type { RuleFile } from '../schemas/rules.js';
import { type LearnedVersion, LearnedVersions } from './learned-versions.js';

/** The published versions of the merchandising rules. No command can compute their index again. */
export const ruleVersions = (es: Client, indexPrefix: string): LearnedVersions =>
  new LearnedVersions(es, indexPrefix, 'rules', 'version of the merchandising rules');

/** The number of earlier versions that stay in memory for clients that page through a search by cursor. */
const MAX_EARLIER = 5;

/** Parses a version as it was published; null stands for no rules. */
export const ruleFileOf = (stored: LearnedVersion | null): RuleFile =>
  stored === null ? { rules: [] } : (JSON.parse(Buffer.from(stored.json).toString()) as RuleFile);

/** The merchandising rules that searches apply. A new version is noticed within ten seconds. */
export class PublishedRules {
  readonly #active: () => Promise<LearnedVersion | null>;
  readonly #compiled = new LRUCache<number, { json: Buffer; rules: RuleSet }>({ max: MAX_EARLIER + 1 });

  constructor(private readonly versions: LearnedVersions) {
    this.#active = versions.reader();
  }

  /** Returns the active rules, which usually takes no request to Elasticsearch. */
  async current(): Promise<RuleSet> {
    const active = await this.#active();
    return active === null ? NO_RULES : this.#compile(active);
  }

  /** Returns the rules of a version. @throws ApiError 410 if the version does not exist. */
  async ofVersion(version: number | null): Promise<RuleSet> {
    if (version === null) return NO_RULES;
    const compiled = this.#compiled.get(version);
    if (compiled !== undefined) return compiled.rules;
    try {
      return this.#compile(await this.versions.read(version));
    } catch (error) {
      throw error instanceof OperationError ? expired() : error;
    }
  }

  #compile(stored: LearnedVersion): RuleSet {
    const known = this.#compiled.get(stored.version);
    const json = Buffer.from(stored.json);
    // If the index was lost and rebuilt, a version number may stand for other rules, so their content is compared.
    if (known?.json.equals(json) === true) return known.rules;
    const rules = compileRules(ruleFileOf(stored), stored.version);
    this.#compiled.set(stored.version, { json, rules });
    return rules;
  }
}
