import { type ApiCall, useApi } from '../api.js';
import { Picture, Price, Text } from '../components.js';
import { sentence } from '../format.js';
import type { Group, Page, Product } from '../types.js';
import { LowestPrice, useOtherOffers } from './other-offers.js';
import { named, plainName } from './product-title.js';

type Item = Product & { group?: Group | null };

/** In what variants of one product may differ. Another model, for example, is another product. */
const VARIANT = ['colour', 'size', 'edition'];

/** How many products are compared with the one that is shown; the API compares five at once. */
const COMPARED = 4;

/** The variants of a product, among those of its maker that have its words; null while they are loaded. */
function useVariants(product: Product, title: string): Item[] | null {
  const search: ApiCall | null =
    product.brand === null
      ? null
      : {
          path: `/v1/search?${new URLSearchParams({ q: title, brand: product.brand, group: 'product', limit: '12' })}`,
        };
  const found = useApi<Page<Item>>(search);
  const others = (found.data?.items ?? [])
    .filter(({ id, category }) => id !== product.id && category === product.category)
    .slice(0, COMPARED);
  const diff: ApiCall | null =
    others.length === 0
      ? null
      : {
          path: '/v1/products/compare/diff',
          body: { product_ids: [product.id, ...others.map(({ id }) => id)], explain: true },
        };
  const compared = useApi<{ same_product?: { a: number; b: number; contradictions: string[] }[] }>(diff);
  if ((search !== null && found.data === null) || (diff !== null && compared.data === null)) return null;
  return others.filter(({ id }) =>
    (compared.data?.same_product ?? []).some(
      ({ a, b, contradictions }) =>
        [a, b].includes(product.id) &&
        [a, b].includes(id) &&
        contradictions.length > 0 &&
        contradictions.every((one) => VARIANT.includes(one)),
    ),
  );
}

/** The attributes of a listing that are short text. */
function attributesOf({ metadata }: Product): Map<string, string> {
  const given = (typeof metadata === 'object' && metadata !== null ? metadata : {}) as Record<
    string,
    unknown
  >;
  const own = (given['attributes'] ?? given) as object;
  return new Map(
    Object.entries(own).flatMap(([name, value]): [string, string][] =>
      typeof value === 'string' && value.length <= 30 ? [[name.toLowerCase(), value]] : [],
    ),
  );
}

/** The attributes that tell variants apart, in the names that feeds have for them. */
const TELLING =
  /^(colou?r|size|capacity|storage|memory|ram|volume|weight|length|thickness|flavou?r|scent|pack|edition)$/;

/** A switch between the variants of a product, such as its colours. */
export function Variants({ product, title }: { product: Product; title: string }) {
  const variants = useVariants(product, title);
  if (variants === null) return <div class="variants" />;
  const own = attributesOf(product);
  const choices = variants.flatMap((item) => {
    const differs = [...attributesOf(item)].filter(
      ([name, value]) => TELLING.test(name) && own.has(name) && own.get(name) !== value,
    );
    return differs.length === 0 ? [] : [{ item, differs }];
  });
  if (choices.length === 0) return null;
  const names = [...new Set(choices.flatMap(({ differs }) => differs.map(([name]) => name)))];
  const ownLabel = names.flatMap((name) => own.get(name) ?? []).join(', ');
  // Two listings of one variant that are not linked to each other would be two choices of the same name.
  const byLabel = new Map(
    choices.map(({ item, differs }) => [
      names.flatMap((name) => new Map(differs).get(name) ?? own.get(name) ?? []).join(', '),
      item,
    ]),
  );
  byLabel.delete(ownLabel);
  return (
    <nav class="variants" aria-label={sentence(names.join(', '))}>
      <span aria-current="true">
        <Text>{ownLabel}</Text>
      </span>
      {[...byLabel].map(([label, item]) => (
        <a key={label} href={`/explore/products/${item.id}`}>
          <Text>{label}</Text>{' '}
          <span class="note">
            <Price price={item.group?.best_offer?.price ?? item.price} currency={null} />
          </span>
        </a>
      ))}
    </nav>
  );
}

const SHOWN = 6;
const CANDIDATES = 40;

/** A row of listings that are related to a product, one of each maker, and why those fit that are of another kind. */
export function Related({
  id,
  kind,
  title,
  category,
}: {
  id: string;
  kind: 'similar' | 'compatible';
  title: string;
  /** The category of the product. */
  category: string | null;
}) {
  const { data } = useApi<Page<Product & { reasons: string[] }>>({
    path: `/v1/products/${encodeURIComponent(id)}/${kind}?include=picture,condition,flags&limit=${CANDIDATES}`,
  });
  const found = data?.items ?? [];
  // Coffee is the word for both a machine and what it brews.
  const alike = found.filter((one) => kind === 'similar' && one.category === category);
  const items = alike.length > 0 ? alike : found;
  // Several listings may be offers of one product.
  const shown = items
    .filter(({ brand }, at) => items.findIndex((one) => one.brand === brand) === at)
    .slice(0, SHOWN);
  const othersOf = useOtherOffers(shown);
  if (shown.length === 0) return null;
  return (
    <section class="home-part" aria-labelledby={`${kind}-title`}>
      <h2 id={`${kind}-title`}>{title}</h2>
      <ul class="tiles">
        {shown.map(({ reasons, ...one }) => (
          <li key={one.id}>
            <a href={`/explore/products/${one.id}`}>
              <Picture of={one} />
              <span class="tile-text">
                <Text class="tile-name">{plainName(named<Product>(one, othersOf(one)).name)}</Text>
                <LowestPrice listing={one} others={othersOf(one)} />
                {kind === 'compatible' && <Text class="note">{reasons[0] ?? ''}</Text>}
              </span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
