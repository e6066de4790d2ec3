import { writeFile } from 'node:fs/promises';
import { Parser } from '@json2csv/plainjs';
import { CommandError } from '../../scripts/shared/exit.js';
import { fromCaller } from '../../scripts/shared/terminal.js';
import type { EvaluationApi } from './api.js';
import { judgedProducts, readPairs } from './judgements.js';
import { foldName } from './names.js';
import { drawSample } from '../../src/text/statistics.js';
import { makeTasks, type MadeTask } from './task-rules.js';

const SEED = 46;
const COLUMNS = ['task', 'family', 'text', 'phrases', 'answer'];

export interface TaskFiles {
  out: string;
  heldBack: string;
}

/** Writes the open and the held-back tasks. @returns totals only, so that nobody reads a task that is held back. */
export async function writeTasks(
  api: EvaluationApi,
  files: TaskFiles,
  { sources, gold, sample }: { sources: readonly string[]; gold: string | undefined; sample: number },
): Promise<string> {
  const all = await api.listings();
  const listings = sources.length === 0 ? all : all.filter(({ source }) => sources.includes(source));
  const productOf =
    gold === undefined
      ? ({ name }: { name: string }) => foldName(name)
      : judgedProducts(await readPairs(gold), listings);
  const tasks = makeTasks(listings, productOf, gold !== undefined);
  const [open, heldBack] = [false, true].map((isHeldBack) =>
    drawSample(
      tasks.filter((task) => task.isHeldBack === isHeldBack),
      sample,
      SEED,
    ),
  ) as [MadeTask[], MadeTask[]];
  await writeCsv(files.out, open);
  await writeCsv(files.heldBack, heldBack);
  const totals = (some: readonly MadeTask[]) =>
    (['specific', 'cheapest'] as const)
      .map((family) => `${some.filter((task) => task.family === family).length} ${family}`)
      .join(', ');
  return (
    `${files.out}: ${open.length} tasks (${totals(open)})\n` +
    `${files.heldBack}: ${heldBack.length} tasks (${totals(heldBack)}), held back\n`
  );
}

async function writeCsv(file: string, tasks: readonly MadeTask[]): Promise<void> {
  const text = new Parser({ fields: COLUMNS }).parse(tasks);
  await writeFile(fromCaller(file), `${text}\n`).catch((error: unknown) => {
    throw new CommandError(`cannot write ${file}: ${(error as Error).message}`);
  });
}
