import { link, type LinkOptions } from '../../src/usecases/link/link.js';
import type { ChangedGroups } from '../../src/usecases/link/regroup.js';
import { readRates } from '../../src/products/read-rates.js';
import { withEngine } from '../shared/engine.js';
import type { Io } from '../shared/command.js';
import { showProgress } from '../shared/terminal.js';

export const linkListings = (
  options: LinkOptions,
  env: NodeJS.ProcessEnv,
  { out, err, signal }: Io,
): Promise<ChangedGroups> =>
  withEngine(env, ({ es, indexPrefix, exchangeRatesFile }) =>
    link(
      {
        es,
        indexPrefix,
        rates: readRates(exchangeRatesFile),
        signal,
        report: (line) => void out.write(`${line}\n`),
        showProgress: (title) => showProgress(title, err),
      },
      options,
    ),
  );
