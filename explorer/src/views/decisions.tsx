import { useState } from 'preact/hooks';
import { type ApiCall, callApi, useApi } from '../api.js';
import { Failure, Head, Loading, Text, useTitle } from '../components.js';
import { dateTime, plural, sentence, shopName } from '../format.js';
import { viewUrl } from '../router.js';
import type { DecisionList } from '../types.js';

const PAGE = 50;

/** How many decisions there are. A pair that was skipped is not decided; how many those are is known if all are on the page. */
function totalOf({ total, items }: DecisionList): string {
  if (total > items.length) return `${plural(total, 'decision')}, with the pairs that were skipped`;
  const skipped = items.filter(({ decision }) => decision === 'skip').length;
  const parts = [
    ...(total > skipped ? [plural(total - skipped, 'decision')] : []),
    ...(skipped > 0 ? [`${plural(skipped, 'pair')} skipped`] : []),
  ];
  return parts.join(', ');
}

/** Who decided what and when, how far reviewers agree, and a way to undo each decision. */
export function DecisionsView({ query }: { query: URLSearchParams }) {
  useTitle('Decisions');
  const [undone, setUndone] = useState<Record<string, string>>({});
  const call: ApiCall = { path: viewUrl('/v1/decisions', { limit: PAGE, cursor: query.get('cursor') }) };
  const { data, failure } = useApi<DecisionList>(call);
  const undo = async (id: string) => {
    const state = await callApi({ path: `/v1/decisions/${id}`, method: 'DELETE' }).then(
      () => 'Undone',
      ({ message }: Error) => message,
    );
    setUndone((known) => ({ ...known, [id]: state }));
  };
  return (
    <>
      <header class="desk-head">
        <h1>Decisions</h1>
        <a href="/review">Back to the queue</a>
      </header>
      {failure !== null && <Failure error={failure} />}
      {failure === null && data === null && <Loading what="the decisions" lines={12} />}
      {data !== null && (
        <>
          <p class="note">
            {data.total === 0 ? 'Nobody has decided yet.' : `${totalOf(data)}.`}{' '}
            {data.agreement.pairs > 0 &&
              `Several reviewers decided ${plural(data.agreement.pairs, 'pair')}, and agree on ${data.agreement.agreed}.`}
          </p>
          <div class="desk-scroll" hidden={data.items.length === 0}>
            <table class="plain decisions">
              <Head
                of={{
                  When: 'text',
                  Who: 'text',
                  Decision: 'text',
                  Listings: 'text',
                  Note: 'text',
                  Undo: 'hidden',
                }}
              />
              <tbody>
                {data.items.map(
                  ({ decision_id: id, decided_at, reviewer, decision, a, b, note, pending }) => (
                    <tr key={id}>
                      <td>{decided_at === null ? 'unknown' : dateTime(decided_at)}</td>
                      <td>{reviewer === null ? 'a file' : <Text>{reviewer}</Text>}</td>
                      <td>
                        {sentence(decision)}
                        {pending && decision !== 'skip' ? ' (pending)' : ''}
                      </td>
                      <td>
                        {[a, b].map(({ source, sku, id: listing, name }) => (
                          <div key={`${source} ${sku}`}>
                            {shopName(source)}:{' '}
                            {listing === null ? (
                              <Text>{sku}</Text>
                            ) : (
                              <a href={`/explore/products/${listing}`}>
                                <Text>{name}</Text>
                              </a>
                            )}
                          </div>
                        ))}
                      </td>
                      <td>{note !== null && <Text>{note}</Text>}</td>
                      <td>
                        {undone[id] ?? (
                          <button type="button" class="quiet" onClick={() => void undo(id)}>
                            Undo
                          </button>
                        )}
                      </td>
                    </tr>
                  ),
                )}
              </tbody>
            </table>
          </div>
          {data.next_cursor !== null && (
            <p>
              <a class="button" href={viewUrl('/review/decisions', { cursor: data.next_cursor })}>
                Earlier decisions
              </a>
            </p>
          )}
        </>
      )}
    </>
  );
}
