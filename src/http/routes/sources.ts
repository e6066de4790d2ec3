import { Type } from 'typebox';
import { endpoint } from '../endpoint.js';
import { FreshnessSchema } from '../../schemas/quality.js';
import { component, Enum, integer, nullable, optional, text, time, timeOrNull } from '../../schemas/types.js';
import { RUN_OUTCOMES } from '../../sources/runs.js';
import { listSources } from '../../usecases/sources.js';

const SourcesSchema = component(
  'SourceList',
  'All sources, sorted by the number of listings. With `include=schedule`, sources whose last run failed or was refused come first, then stale ones',
  {
    sources: Type.Array(
      Type.Object({
        code: text('Source platform code, a value of the parameters `source` and `platform`'),
        listings: integer('The number of listings of the source'),
        last_load_at: timeOrNull('When a load last created, changed or checked a listing of the source'),
        freshness: FreshnessSchema,
        schedule: optional.orNull(
          Type.Object({
            cron: text('The cron expression: minute, hour, day of month, month, day of week', '15 6 * * *'),
            timezone: text('The time zone of the cron expression', 'Asia/Singapore'),
          }),
          'With `include=schedule`: when the source is loaded. Null if the source has no schedule',
        ),
        last_run: optional.orNull(
          Type.Object({
            at: time('When the run began'),
            outcome: Enum(RUN_OUTCOMES, {
              description:
                '`loaded`: the feed was loaded. `not_modified`: it has not changed since it was loaded last. `refused`: a guard stopped the ' +
                'run, for example because too many records were rejected. `failed`: the end of the feed was not reached. ' +
                '`interrupted`: the run was stopped. `running` does not occur here',
            }),
            records: integer('The number of records that were read'),
            rejected: integer('The number of rejected records'),
            reason: nullable('string', 'Why the run was refused or failed; null if it was not'),
          }),
          'With `include=schedule`: the last run of `npm run sync` for the source that has ended. Null if there was none',
        ),
        next_run_at: optional.timeOrNull(
          'With `include=schedule`: when the source is due next, which may be in the past',
        ),
        expected_freshness_s: optional.nullable(
          'integer',
          'With `include=schedule`: the age in seconds from which the data of the source is stale',
        ),
        stale: optional.nullable(
          'boolean',
          'With `include=schedule`: whether the last loaded feed is older than `expected_freshness_s`. Null if no age is expected',
        ),
        follow_up: optional.Object(
          {
            done_at: timeOrNull(
              'When what depends on the listings of the source was last updated: their quality flags, those of related listings, and suggestions',
            ),
            waiting_since: timeOrNull(
              'When the oldest listings were loaded whose update is not done yet. Null if none waits',
            ),
          },
          { description: 'With `include=follow_up`: how far the updates after loads are' },
        ),
      }),
    ),
    total: integer('The number of sources'),
  },
);

export const sources = endpoint({
  tag: 'Listings',
  summary: 'List all sources with the number and the freshness of their listings',
  description: 'A source without listings is returned only with `include=schedule`.',
  query: Type.Object({
    include: optional.List(',', Enum(['schedule', 'follow_up']), {
      maxItems: 20,
      description:
        '`schedule` adds the schedule of each source, its last run and its next run. Sources that have a source file but no listings ' +
        'are included. `follow_up` adds how far the updates after loads are',
      examples: [['schedule']],
    }),
  }),
  responses: { 200: { description: 'All sources', schema: SourcesSchema } },
  handle: (context, { query }) => listSources(context, query),
});
