const MAX_TEXTS = 100;
const MAX_LENGTH = 200;

/**
 * The words of a listing's metadata: every text in it that is neither an address nor prose, for full-text search.
 * @param metadata JSON, at most some 50 levels deep.
 */
export function attributesOf(metadata: unknown): string[] {
  const texts: string[] = [];
  collect(metadata, texts);
  return texts;
}

function collect(value: unknown, into: string[]): void {
  if (into.length >= MAX_TEXTS) return;
  if (typeof value === 'string') {
    if (value !== '' && value.length <= MAX_LENGTH && !/^https?:/i.test(value)) into.push(value);
  } else if (typeof value === 'object' && value !== null) {
    for (const item of Object.values(value)) collect(item, into);
  }
}
