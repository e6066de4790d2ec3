import { Type } from 'typebox';
import { endpoint } from '../endpoint.js';
import { FreshnessSchema } from '../../schemas/quality.js';
import { Enum, List, nullable, orNull, text, time, timeOrNull } from '../../schemas/types.js';
import { RUN_OUTCOMES } from '../../sources/runs.js';
import { listSources } from '../../usecases/sources.js';

const SourcesSchema = Type.Object(
  {
    sources: Type.Array(
      Type.Object({
        code: text('Source platform code, a value of the parameters `source` and `platform`'),
        listings: Type.Integer({ description: 'The number of listings of the source' }),
        last_load_at: timeOrNull('When a load last created, changed or checked a listing of the source'),
        freshness: FreshnessSchema,
        schedule: Type.Optional(
          orNull(
            Type.Object({
              cron: Type.String({
                description: 'The cron expression: minute, hour, day of month, month, day of week',
                examples: ['15 6 * * *'],
              }),
              timezone: Type.String({
                description: 'The time zone of the cron expression',
                examples: ['Asia/Singapore'],
              }),
            }),
            'With `include=schedule`: when the source is loaded. Null if the source has no schedule',
          ),
        ),
        last_run: Type.Optional(
          orNull(
            Type.Object({
              at: time('When the run began'),
              outcome: Enum(RUN_OUTCOMES, {
                description:
                  '`loaded`: the feed was loaded. `not_modified`: it has not changed since it was loaded last. `refused`: a guard stopped the ' +
                  'run, for example because too many records were rejected. `failed`: the end of the feed was not reached. ' +
                  '`interrupted`: the run was stopped. `running` does not occur here',
              }),
              records: Type.Integer({ description: 'The number of records that were read' }),
              rejected: Type.Integer({ description: 'The number of rejected records' }),
              reason: nullable('string', 'Why the run was refused or failed; null if it was not'),
            }),
            'With `include=schedule`: the last run of `npm run sync` for the source that has ended. Null if there was none',
          ),
        ),
        next_run_at: Type.Optional(
          timeOrNull('With `include=schedule`: when the source is due next, which may be in the past'),
        ),
        expected_freshness_s: Type.Optional(
          nullable(
            'integer',
            'With `include=schedule`: the age in seconds from which the data of the source is stale',
          ),
        ),
        stale: Type.Optional(
          nullable(
            'boolean',
            'With `include=schedule`: whether the last loaded feed is older than `expected_freshness_s`. Null if no age is expected',
          ),
        ),
        follow_up: Type.Optional(
          Type.Object(
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
        ),
      }),
    ),
    total: Type.Integer({ description: 'The number of sources' }),
  },
  {
    $id: 'SourceList',
    description:
      'All sources, sorted by the number of listings. With `include=schedule`, sources whose last run failed or was refused come first, then stale ones',
  },
);

export const sources = endpoint({
  tag: 'Listings',
  summary: 'List all sources with the number and the freshness of their listings',
  description: 'A source without listings is returned only with `include=schedule`.',
  query: Type.Object({
    include: Type.Optional(
      List(',', Enum(['schedule', 'follow_up']), {
        maxItems: 20,
        description:
          '`schedule` adds the schedule of each source, its last run and its next run. Sources that have a source file but no listings ' +
          'are included. `follow_up` adds how far the updates after loads are',
        examples: [['schedule']],
      }),
    ),
  }),
  responses: { 200: { description: 'All sources', schema: SourcesSchema } },
  handle: (context, { query }) => listSources(context, query),
});
