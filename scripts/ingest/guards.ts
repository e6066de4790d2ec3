import { findLostColumns, type LostColumn, unknownColumns } from '../../src/usecases/ingest/columns.js';
import type { FeedItem } from '../../src/feeds/read/feed.js';
import { GuardError } from '../../src/usecases/ingest/guard.js';
import { formatCount } from '../shared/terminal.js';
import type { Ahead } from './look-ahead.js';
import type { Options } from './options.js';
import { quoted } from './report.js';

type Allowed = Pick<Options, 'allowEmpty' | 'allowMissing' | 'strictColumns' | 'patch'>;

/** Looks at the beginning of a feed before anything of it is loaded. @throws GuardError */
export async function guardFeed(
  { head, whole, isBroken }: Ahead,
  { allowEmpty, allowMissing, strictColumns, patch }: Allowed,
  catalogue: Parameters<typeof findLostColumns>[1],
): Promise<void> {
  if (head.length === 0 && whole && !isBroken && !allowEmpty) {
    throw new GuardError('The feed holds no record. If that is meant to be: --allow-empty');
  }
  if (strictColumns) guardUnknown(head);
  if (patch) return;
  const lost = await findLostColumns(head, catalogue);
  const meant = lost.filter(({ column }) => !allowMissing.includes(column));
  if (meant.length > 0) throw new GuardError(describeLost(meant));
}

const SHOWN = 12;

function guardUnknown(head: readonly FeedItem[]): void {
  const names = [...new Set(head.flatMap(unknownColumns))];
  if (names.length === 0) return;
  const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : '';
  throw new GuardError(
    `No listing has the columns ${names.slice(0, SHOWN).map(quoted).join(', ')}${more}, and --strict-columns refuses them. Nothing was loaded.`,
  );
}

function describeLost(lost: readonly LostColumn[]): string {
  const lines = lost.map(({ source, column, had, of, renamed }) => {
    const whose = `${formatCount(had)} of the ${formatCount(of)} listings of ${source} that changed last`;
    const hint = renamed === undefined ? '' : `; is it ${quoted(renamed)}?`;
    return `  ${column}, which ${whose} have${hint}`;
  });
  const columns = [...new Set(lost.map(({ column }) => column))].join(',');
  return `The feed lacks columns that its source had, and would make them unknown:\n${lines.join('\n')}\nNothing was loaded. If that is meant to be: --allow-missing ${columns}`;
}
