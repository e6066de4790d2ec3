import { readCsv } from '../../scripts/shared/csv-file.js';
import type { EvaluationApi, Listing } from './api.js';
import { answerAll, countOutcomes, describeOffer, outcomeShare, type Classified } from './answers.js';
import { listingKey } from '../../src/listing/identify.js';
import type { Findings } from './report.js';

/** A shopping task: the query phrases, and the keys of all correct offers. */
interface Task {
  id: string;
  /** The family of the task, which states whether all offers or only the cheapest ones are correct. */
  kind: string;
  phrases: string[];
  correct: Set<string>;
}

interface TaskOutcome {
  isComplete: boolean;
  isAnswered: boolean;
  hasWrongOffer: boolean;
}

/** The families that request all offers of one product, and those that request its cheapest. Others are vague. */
const SPECIFIC = new Set(['specific', 'add_to_cart']);
const CHEAPEST = new Set(['cheapest', 'end_to_end']);

const isRight = ({ isComplete, hasWrongOffer }: TaskOutcome) => isComplete && !hasWrongOffer;
const hasWrongOffer = (outcome: TaskOutcome) => outcome.hasWrongOffer;
const isUnanswered = ({ isAnswered }: TaskOutcome) => !isAnswered;

/**
 * Performs shopping tasks by the best price of each phrase. For the cheapest offer, the answer is the first and those of the
 * same price.
 */
export async function evaluateTasks(api: EvaluationApi, file: string): Promise<Findings> {
  const done = await answerAll(api, await readTasks(file), taskOutcome);
  const specific = done.filter(({ kind }) => SPECIFIC.has(kind));
  const cheapest = done.filter(({ kind }) => CHEAPEST.has(kind));
  const named = [...specific, ...cheapest];
  return {
    figures: [
      outcomeShare('specific and cheapest: exactly the right offers', named, isRight),
      outcomeShare('specific and cheapest: a wrong offer', named, hasWrongOffer),
      outcomeShare('specific and cheapest: no answer', named, isUnanswered),
      outcomeShare('all offers of a product: exactly right', specific, isRight),
      outcomeShare('all offers of a product: complete', specific, ({ isComplete }) => isComplete),
      outcomeShare('cheapest offer: exactly right', cheapest, isRight),
      outcomeShare('any task: a wrong offer', done, hasWrongOffer),
    ].filter(({ cases }) => cases > 0),
    tables: [
      countOutcomes('Tasks by family', done, {
        'exactly right': isRight,
        complete: ({ isComplete }) => isComplete,
        'a wrong offer': hasWrongOffer,
        'no answer': isUnanswered,
      }),
    ],
    worst: done.filter(({ outcomes }) => !isRight(outcomes.service)).map(describeTask),
  };
}

async function readTasks(file: string): Promise<Task[]> {
  const rows = await readCsv(file, ['task', 'family', 'phrases', 'answer']);
  return rows.map(({ task, family, phrases, answer }) => ({
    id: task,
    kind: family,
    phrases: phrases.split('|').filter((phrase) => phrase !== ''),
    correct: new Set(answer.split(' ').map((one) => one.replace(':', '\0'))),
  }));
}

function taskOutcome(task: Task, answers: Listing[][]): TaskOutcome {
  const keys = new Set(offersOf(task, answers).map(listingKey));
  return {
    isComplete: [...task.correct].every((key) => keys.has(key)),
    isAnswered: keys.size > 0,
    hasWrongOffer: [...keys].some((key) => !task.correct.has(key)),
  };
}

/** Returns the offers that a client takes from the answers: all, or the cheapest of each answer. */
function offersOf({ kind }: Task, answers: Listing[][]): Listing[] {
  const onlyCheapest = CHEAPEST.has(kind) || kind.startsWith('cheapest');
  return answers.flatMap((offers) =>
    onlyCheapest ? offers.filter(({ price }) => price === offers[0]?.price) : offers,
  );
}

function describeTask(task: Task & Classified<TaskOutcome>): string {
  const { id, kind, phrases, correct, outcomes } = task;
  const { hasWrongOffer: isWrong, isAnswered } = outcomes.service;
  const offers = offersOf(task, task.answers);
  const keys = new Set(offers.map(listingKey));
  return [
    `${kind}, ${isWrong ? 'wrong' : isAnswered ? 'incomplete' : 'no answer'}  ${id}: ${phrases.join(' | ')}`,
    ...offers.map(
      (offer) => `    ${correct.has(listingKey(offer)) ? 'right' : 'wrong'}  ${describeOffer(offer)}`,
    ),
    `    ${[...correct].filter((key) => !keys.has(key)).length} of ${correct.size} not found`,
  ].join('\n');
}
