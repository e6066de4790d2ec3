import { useState } from 'preact/hooks';
import { type ApiCall, useApi } from '../api.js';
import { Failure, Loading, Tags, Text } from '../components.js';
import { percent, plural, sentence, shopName, words } from '../format.js';
import type { Comparison, LookupResults, Reading } from '../types.js';
import type { ShownOffer } from './offers.js';

const REJECTED: Readonly<Record<string, string>> = {
  contradicted: 'something contradicts it',
  less_likely: 'too little agrees',
  not_linked: 'linked to another product',
};

/** Why the listings are one product, how the matcher understands the name, and what it considered besides. */
export function SameProduct({
  id,
  offers,
  reading,
}: {
  id: number;
  offers: readonly ShownOffer[];
  reading: Reading | null;
}) {
  const ids = [id, ...offers.map((offer) => offer.id).filter((one) => one !== id)].slice(0, 5);
  const diff: ApiCall | null =
    ids.length < 2 ? null : { path: '/v1/products/compare/diff', body: { product_ids: ids, explain: true } };
  const compare: ApiCall = { path: `/v1/products/compare?product_id=${id}&explain=true` };
  const pairs = useApi<{
    same_product?: { a: number; b: number; score: number; reasons: string[]; contradictions: string[] }[];
  }>(diff);
  const compared = useApi<Comparison>(compare);
  const shopOf = (one: number) =>
    shopName(offers.find((offer) => offer.id === one)?.source ?? 'this listing');
  const understood = Object.entries(reading ?? {}).flatMap(([name, value]) => {
    const text = Array.isArray(value) ? value.join(', ') : value;
    return text === null || text === '' || text === undefined ? [] : [[name, String(text)] as const];
  });
  const own = (pairs.data?.same_product ?? []).filter(({ a, b }) => a === id || b === id);
  return (
    <section class="panel" aria-labelledby="same-title">
      <h2 id="same-title">Why this is the same product</h2>
      {pairs.failure !== null && <Failure error={pairs.failure} />}
      {diff !== null && pairs.data === null && pairs.failure === null && <Loading what="the reasons" />}
      {own.length > 0 && (
        <ul class="reasons">
          {own.map(({ a, b, score, reasons, contradictions }) => (
            <li key={`${a}-${b}`}>
              <span>
                <strong>{shopOf(a === id ? b : a)}</strong> <span class="note">{percent(score)} likely</span>
              </span>
              <Tags of={reasons} kind="good" />
              {contradictions.length > 0 && <Tags of={contradictions} kind="bad" />}
            </li>
          ))}
        </ul>
      )}
      {own.length === 0 && pairs.data !== null && <p>There is no other listing to compare with.</p>}
      {diff === null && <p>No other shop lists it.</p>}
      {understood.length > 0 && (
        <>
          <h3>How its name is understood</h3>
          <dl class="fact-list">
            {understood.map(([name, value]) => (
              <div key={name}>
                <dt>{sentence(name)}</dt>
                <dd>
                  <Text>{value}</Text>
                </dd>
              </div>
            ))}
          </dl>
        </>
      )}
      <Considered candidates={compared.data?.considered ?? []} />
    </section>
  );
}

/** The listings that were compared and are no offers of the product. Their names are loaded when somebody unfolds them. */
function Considered({ candidates }: { candidates: NonNullable<Comparison['considered']> }) {
  const [isOpen, setOpen] = useState(false);
  const identifiers = candidates.map(({ id }) => ({ type: 'id', value: String(id) }));
  const call: ApiCall = { path: '/v1/lookup', body: { identifiers, limit: 1 } };
  const { data } = useApi<LookupResults>(isOpen ? call : null);
  const listings = new Map(
    (data?.results ?? []).flatMap(({ items: [listing] }) => (listing ? [[listing.id, listing]] : [])),
  );
  if (candidates.length === 0) return null;
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{plural(candidates.length, 'other listing')} considered and rejected</summary>
      <ul class="considered">
        {candidates.map(({ id, score, rejected }) => {
          const listing = listings.get(id);
          return (
            <li key={id}>
              <a href={`/explore/products/${id}`}>
                {listing === undefined ? `Listing ${id}` : <Text>{listing.name}</Text>}
              </a>{' '}
              <span class="note">
                {listing !== undefined && `${shopName(listing.source)}: `}
                {REJECTED[rejected] ?? words(rejected)}, {percent(score)} likely
              </span>
            </li>
          );
        })}
      </ul>
    </details>
  );
}
