import { mapLimited, type EvaluationApi, type Listing } from './api.js';
import { listingKeyText, readCsv } from './judgements.js';
import type { Findings } from './report.js';
import { bootstrap, mean, sum } from './statistics.js';

/** The maximum number of offers that a task requests. */
const LIMIT = 20;

/** A shopping task: the query phrases, and all correct offers. */
interface Task {
  task: string;
  family: string;
  phrases: string[];
  answer: Set<string>;
}

/** A shopping task with the offers that a client of the API finds for it. */
interface Done extends Task {
  found: Listing[];
  wrong: Listing[];
  complete: boolean;
}

/**
 * The families of tasks that request all offers of one product. `CHEAPEST` contains those that request its
 * cheapest offer. All other families have vague queries.
 */
const SPECIFIC = new Set(['specific', 'add_to_cart']);
const CHEAPEST = new Set(['cheapest', 'end_to_end']);

/**
 * Performs the tasks as a simple client of the API would: it requests the best price of each phrase, with a
 * limit. If the task is to find the cheapest offer, the answer is the first offer and those with the same
 * price.
 */
export async function evaluateTasks(api: EvaluationApi, file: string): Promise<Findings> {
  const done = await mapLimited(await readTasks(file), 2, (task) => run(api, task));
  const of = (families: ReadonlySet<string>) => done.filter(({ family }) => families.has(family));
  const complete = (cases: readonly Done[]) => mean(cases.map((one) => Number(one.complete)));
  const right = (cases: readonly Done[]) =>
    mean(cases.map(({ found, wrong }) => Number(found.length > 0 && wrong.length === 0)));
  const wrong = (cases: readonly Done[]) => mean(cases.map((one) => Number(one.wrong.length > 0)));
  const families = [...new Set(done.map(({ family }) => family))];
  return {
    figures: [
      bootstrap('all offers of a product: complete', of(SPECIFIC), complete),
      bootstrap('all offers of a product: nothing else', of(SPECIFIC), right),
      bootstrap('cheapest offer: right', of(CHEAPEST), right),
      bootstrap('any task: a wrong offer among the answers', done, wrong),
    ],
    tables: [
      {
        title: 'Tasks by family',
        header: ['family', 'tasks', 'complete', 'right so far', 'a wrong offer', 'no answer'],
        rows: families.map((family) => {
          const some = done.filter((one) => one.family === family);
          const count = (is: (one: Done) => boolean) => sum(some.map((one) => Number(is(one))));
          return [
            family,
            some.length,
            count((one) => one.complete),
            count((one) => one.found.length > 0 && one.wrong.length === 0),
            count((one) => one.wrong.length > 0),
            count((one) => one.found.length === 0),
          ];
        }),
      },
    ],
    worst: done.filter((one) => one.wrong.length > 0 || !one.complete).map(told),
  };
}

async function readTasks(file: string): Promise<Task[]> {
  const rows = await readCsv(file, ['task', 'family', 'phrases', 'answer']);
  return rows.map(({ task, family, phrases, answer }) => ({
    task,
    family,
    phrases: phrases.split('|').filter((phrase) => phrase !== ''),
    answer: new Set(answer.split(' ').map((one) => one.replace(':', '\0'))),
  }));
}

async function run(api: EvaluationApi, task: Task): Promise<Done> {
  const found = (await Promise.all(task.phrases.map((q) => offersOf(api, q, task.family)))).flat();
  const keys = new Set(found.map(listingKeyText));
  return {
    ...task,
    found,
    wrong: found.filter((offer) => !task.answer.has(listingKeyText(offer))),
    complete: [...task.answer].every((key) => keys.has(key)),
  };
}

async function offersOf(api: EvaluationApi, q: string, family: string): Promise<Listing[]> {
  const path = `/v1/products/best-price?limit=${LIMIT}&q=${encodeURIComponent(q)}`;
  const items = (await api.get<{ items: Listing[] }>(path))?.items ?? [];
  const onlyCheapest = CHEAPEST.has(family) || family.startsWith('cheapest');
  return onlyCheapest ? items.filter(({ price }) => price === items[0]?.price) : items;
}

const told = ({ task, family, phrases, answer, found, wrong }: Done): string =>
  [
    `${family}, ${wrong.length > 0 ? 'wrong' : found.length > 0 ? 'incomplete' : 'no answer'}  ${task}: ${phrases.join(' | ')}`,
    ...found.map((offer) => {
      const mark = answer.has(listingKeyText(offer)) ? 'right' : 'wrong';
      return `    ${mark}  ${offer.name} (${offer.price}, ${offer.source}:${offer.sku})`;
    }),
    `    ${[...answer].filter((key) => !found.some((offer) => listingKeyText(offer) === key)).length} of ${answer.size} not found`,
  ].join('\n');
