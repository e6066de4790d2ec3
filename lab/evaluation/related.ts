import { readCsv } from '../../scripts/shared/csv-file.js';
import type { EvaluationApi, Listing } from './api.js';
import { listingKey } from '../../src/listing/identify.js';
import type { Findings } from './report.js';
import { bootstrapByCase } from './statistics.js';

/** A task that names a listing by the address of its page, and asks for what can replace it or fits it. */
interface RelatedTask {
  id: string;
  family: 'substitutes' | 'compatible';
  url: string;
  /** What is wanted, in the words of the task. */
  wanted: string;
  correct: Set<string>;
}

interface RankedTask {
  task: RelatedTask;
  /** The position of the first correct listing, from 1; null if it is not among the first ten. */
  rank: number | null;
  found: Listing[];
}

const LIMIT = 10;
const ADDRESS = /https?:\/\/\S+/;
/** The words of a task before those that refer to the listing. */
const WANTED =
  /^(?:Find (?:all offers for |the )?)?(?:compatible )?(.*?)(?=,| (?:for|to|of|on|compatible with) (?:this|which|these)\b|:|$)/i;

/**
 * Measures how many tasks have a correct listing among the first ten that `GET /v1/products/{id}/similar` or
 * `/compatible` returns. Substitutes are sorted by price if the task asks for the cheapest one.
 */
export async function evaluateRelated(api: EvaluationApi, file: string): Promise<Findings> {
  const results: RankedTask[] = [];
  for (const task of await readTasks(file)) results.push(await perform(api, task));
  const share = (family: RelatedTask['family']) => {
    const ofFamily = results.filter(({ task }) => task.family === family);
    const hits = new Map(ofFamily.map(({ task, rank }) => [task.id, rank === null ? 0 : 1]));
    return bootstrapByCase(`${family}: an answer in the first ten`, hits);
  };
  return {
    figures: [share('substitutes'), share('compatible')].filter(({ cases }) => cases > 0),
    tables: [],
    worst: results.map(describeResult),
  };
}

async function readTasks(file: string): Promise<RelatedTask[]> {
  const rows = await readCsv(file, ['task', 'family', 'text', 'answer']);
  return rows.flatMap(({ task, family, text, answer }) => {
    const url = ADDRESS.exec(text)?.[0].replace(/\.$/, '').replace(/\/$/, '');
    if (url === undefined || (family !== 'substitutes' && family !== 'compatible')) return [];
    const wanted = WANTED.exec(text.replace(ADDRESS, ''))?.[1] ?? '';
    const correct = new Set(answer.split(' ').map((one) => one.replace(':', '\0')));
    return [{ id: task, family, url, wanted, correct }];
  });
}

async function perform(api: EvaluationApi, task: RelatedTask): Promise<RankedTask> {
  const { url, family, wanted, correct } = task;
  const known = await api.get<{ items: Listing[] }>(`/v1/lookup?url=${encodeURIComponent(url)}`);
  const id = known?.items[0]?.id;
  if (id === undefined) return { task, rank: null, found: [] };
  const path =
    family === 'compatible'
      ? `compatible?q=${encodeURIComponent(wanted)}`
      : `similar?sort=${/cheapest/i.test(wanted) ? 'price_asc' : 'similarity'}`;
  const page = await api.get<{ items: Listing[] }>(`/v1/products/${id}/${path}&limit=${LIMIT}`);
  const found = page?.items ?? [];
  const at = found.findIndex((listing) => correct.has(listingKey(listing)));
  return { task, rank: at < 0 ? null : at + 1, found };
}

const describeResult = ({ task, rank, found }: RankedTask): string =>
  [
    `${task.family}, ${rank === null ? 'no answer' : `answer at ${rank}`}  ${task.id}: "${task.wanted}" ${task.url}`,
    ...found.map(
      (listing) =>
        `    ${task.correct.has(listingKey(listing)) ? 'right' : 'other'}  ${listing.price ?? '-'}  ${listing.name}`,
    ),
  ].join('\n');
