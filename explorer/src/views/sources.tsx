import { type ApiCall, useApi } from '../api.js';
import { Failure, Head, Loading, Tags, Text, useTitle } from '../components.js';
import { ago, count, dateTime, percent, plural, sentence, shopName, words } from '../format.js';
import { ShareBar } from '../plots/spread.js';
import { viewUrl } from '../router.js';
import type { Freshness, QualityReport, Sources } from '../types.js';

const FIELDS: Readonly<Record<string, string>> = { gtin: 'GTIN', is_available: 'Stock' };

const AGES: [age: keyof Freshness, label: string][] = [
  ['day', 'last day'],
  ['week', 'last week'],
  ['month', 'last month'],
  ['older', 'older'],
  ['never', 'never'],
];

/** The sources: how fresh their listings are, and how far their data can be trusted. */
export function SourcesView() {
  const calls = {
    sources: { path: '/v1/sources?include=schedule' },
    quality: { path: '/v1/quality' },
  } satisfies Record<string, ApiCall>;
  const sources = useApi<Sources>(calls.sources);
  const quality = useApi<QualityReport>(calls.quality);
  useTitle('Shops');
  const failure = sources.failure ?? quality.failure;
  const reports = new Map((quality.data?.sources ?? []).map((report) => [report.source, report]));
  const shares = Object.keys(quality.data?.all.completeness ?? {});
  const flags = Object.entries(quality.data?.all.flags ?? {}).filter(([, listings]) => listings > 0);
  return (
    <>
      <h1>Shops</h1>
      <p class="note lede">How recent, complete and consistent the data of each shop is.</p>
      {failure !== null && <Failure error={failure} />}
      {sources.data === null && failure === null && <Loading what="the sources" lines={20} />}
      {sources.data !== null && (
        <section class="panel" aria-labelledby="fresh-title">
          <h2 id="fresh-title">Freshness</h2>
          <ul class="legend" aria-hidden="true">
            {AGES.map(([age, label]) => (
              <li key={age}>
                <span class={`swatch ${age}`} /> {sentence(label)}
              </li>
            ))}
          </ul>
          <div class="scroll" tabIndex={0} role="region" aria-label="Freshness by shop">
            <table class="fresh">
              <Head
                of={{
                  Shop: 'text',
                  Listings: 'number',
                  'Last seen': 'text',
                  'Last load': 'text',
                  Quality: 'number',
                }}
              />
              <tbody>
                {sources.data.sources.map(
                  ({
                    code,
                    listings,
                    last_load_at: at,
                    freshness,
                    stale,
                    last_run: last,
                    next_run_at: next,
                  }) => (
                    <tr key={code}>
                      <th scope="row">
                        <a href={viewUrl('/explore', { source: code })}>{shopName(code)}</a>
                      </th>
                      <td class="number">{count(listings)}</td>
                      <td class="wide">
                        <ShareBar
                          label={`Listings of ${shopName(code)} by when they were last seen`}
                          parts={AGES.map(([age, name]) => ({ name, value: freshness[age], tone: age }))}
                        />
                        <span class="note">
                          {percent(freshness.day / Math.max(1, listings))} in the last day
                        </span>
                      </td>
                      <td>
                        <span class="narrow">Last load </span>
                        {ago(at)}
                        {(last?.outcome === 'failed' || last?.outcome === 'refused') && (
                          <Tags of={[words(last.outcome)]} kind="bad" />
                        )}
                        {stale === true && <Tags of={['later than expected']} kind="bad" />}
                        {last && (
                          <p class="note">
                            Last run {dateTime(last.at)}: {words(last.outcome)}
                            {last.rejected > 0 &&
                              `, ${count(last.rejected)} of ${plural(last.records, 'record')} rejected`}
                            {last.reason !== null && (
                              <>
                                {'. '}
                                <Text>{last.reason}</Text>
                              </>
                            )}
                          </p>
                        )}
                        {next && <p class="note">Next run {dateTime(next)}</p>}
                      </td>
                      <td class="number">
                        <span class="narrow">Quality </span>
                        {reports.get(code)?.score ?? '–'}
                      </td>
                    </tr>
                  ),
                )}
              </tbody>
            </table>
          </div>
        </section>
      )}
      {quality.data !== null && (
        <>
          <section class="panel" aria-labelledby="complete-title">
            <h2 id="complete-title">Completeness</h2>
            <p class="note">The share of the listings that state each field.</p>
            <div class="scroll" tabIndex={0} role="region" aria-label="Completeness by source">
              <table>
                <Head
                  of={{
                    Shop: 'text',
                    ...Object.fromEntries(
                      shares.map((field) => [FIELDS[field] ?? sentence(field), 'number' as const]),
                    ),
                  }}
                />
                <tbody>
                  {quality.data.sources.map((report) => (
                    <tr key={report.source}>
                      <th scope="row">{shopName(report.source)}</th>
                      {shares.map((field) => {
                        const share = report.completeness[field] ?? 0;
                        return (
                          <td key={field} class={`number ${share < 0.5 ? 'low' : ''}`}>
                            {percent(share)}
                          </td>
                        );
                      })}
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          </section>
          <section class="panel" aria-labelledby="claims-title">
            <h2 id="claims-title">Price reductions that shops state</h2>
            <p class="note">Compared with the lowest price of the 30 days before the reduction.</p>
            <div class="scroll" tabIndex={0} role="region" aria-label="Price reductions by source">
              <table>
                <thead>
                  <tr>
                    <th scope="col">Source</th>
                    <th scope="col">
                      <span class="hidden">Shares</span>
                    </th>
                    {CLAIMS.map(([verdict, label]) => (
                      <th key={verdict} scope="col" class="number">
                        <span class={`swatch ${verdict}`} /> {label}
                      </th>
                    ))}
                    <th scope="col" class="number">
                      Stated
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {quality.data.sources.map(
                    ({ source, claims }) =>
                      claims !== undefined && (
                        <tr key={source}>
                          <th scope="row">{shopName(source)}</th>
                          <td class="wide">
                            <ShareBar
                              label={`Price reductions of ${shopName(source)}`}
                              parts={CLAIMS.map(([verdict, name]) => ({
                                name,
                                value: claims[verdict],
                                tone: verdict,
                              }))}
                            />
                          </td>
                          {CLAIMS.map(([verdict]) => (
                            <td key={verdict} class="number">
                              {count(claims[verdict])}
                            </td>
                          ))}
                          <td class="number">{count(claims.stated)}</td>
                        </tr>
                      ),
                  )}
                </tbody>
              </table>
            </div>
          </section>
          <section class="panel" aria-labelledby="flags-title">
            <h2 id="flags-title">Quality flags</h2>
            {flags.length === 0 && <p>No listing has a flag.</p>}
            <dl class="numbers">
              {flags.map(([flag, listings]) => (
                <div key={flag}>
                  <dt>{sentence(flag)}</dt>
                  <dd>{count(listings)}</dd>
                </div>
              ))}
            </dl>
          </section>
        </>
      )}
    </>
  );
}

const CLAIMS = [
  ['supported', 'Confirmed'],
  ['exaggerated', 'Exaggerated'],
  ['unsupported', 'No real reduction'],
  ['unknown', 'Not known'],
] as const;
