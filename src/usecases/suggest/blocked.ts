import type { Client } from '@elastic/elasticsearch';
import { foldWords } from '../../text/fold.js';
import { splitByScript } from '../../text/tokenize.js';
import { ruleVersions } from '../../published/published-rules.js';

const DOCUMENT_ID = 'blocked-suggestions';

/** Reads the texts that the operator does not want to be suggested, which no command can compute again, as merchandising rules. */
export async function readBlocked(es: Client, indexPrefix: string): Promise<string[]> {
  const { index } = ruleVersions(es, indexPrefix);
  const stored = await es.get<{ texts: string[] }>({ index, id: DOCUMENT_ID }, { ignore: [404] });
  return stored._source?.texts ?? [];
}

/** Adds texts to those that are not suggested, and removes others. @returns all texts, sorted. */
export async function changeBlocked(
  es: Client,
  indexPrefix: string,
  { block, unblock }: { block: readonly string[]; unblock: readonly string[] },
): Promise<string[]> {
  const versions = ruleVersions(es, indexPrefix);
  await versions.ensureIndex();
  const removed = new Set(unblock.map(foldWords));
  const kept = (await readBlocked(es, indexPrefix)).filter((text) => !removed.has(text));
  const texts = [...new Set([...kept, ...block.map(foldWords)])].filter((text) => text !== '').sort();
  await es.index({ index: versions.index, id: DOCUMENT_ID, document: { texts }, refresh: true });
  return texts;
}

/** Returns a function that checks whether a text contains a blocked one as whole words, except in Chinese and Japanese. */
export function blockedBy(texts: readonly string[]): (text: string) => boolean {
  const spaced = (text: string) => ` ${text} `;
  const wanted = texts.map((text) => (splitByScript(text).some(({ isCjk }) => isCjk) ? text : spaced(text)));
  return (text) => {
    const words = spaced(foldWords(text));
    return wanted.some((one) => words.includes(one));
  };
}
