import { webAddress } from '../api.js';
import { Picture, Shortened, Text } from '../components.js';
import { money, sentence, shopName } from '../format.js';
import type { Product, Reading, ReviewItem } from '../types.js';

/** Two listings side by side, with the words and values marked that only one of them has. */
export function ReviewedPair({ item: { a, b, readings } }: { item: ReviewItem }) {
  const rows = [...(readings === undefined ? [] : readRows(readings.a, readings.b)), ...rowsOf(a, b)];
  return (
    <table class="desk-pair">
      <caption class="hidden">Two listings, and what they state</caption>
      <thead>
        <tr>
          <td />
          {[a, b].map((one, at) => (
            <th key={at} scope="col">
              <Picture of={one} />
              <span class="desk-shop">{shopName(one.source)}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        <tr>
          <th scope="row">Name</th>
          <td>
            <MarkedWords text={a.name} other={b.name} />
          </td>
          <td>
            <MarkedWords text={b.name} other={a.name} />
          </td>
        </tr>
        {rows.map(({ label, values, differs }) => (
          <tr key={label} class={differs ? 'differs' : undefined}>
            <th scope="row">{label}</th>
            {values.map((value, at) => (
              <td key={at}>
                {value === '' ? <span class="note">not stated</span> : <Shortened text={value} long={600} />}
              </td>
            ))}
          </tr>
        ))}
        <tr>
          <th scope="row">Page</th>
          {[a, b].map((one, at) => (
            <td key={at}>
              <ShopPage listing={one} />
            </td>
          ))}
        </tr>
      </tbody>
    </table>
  );
}

function ShopPage({ listing: { buy_url, image_url } }: { listing: Product }) {
  const links = [
    ['At the shop', webAddress(buy_url)],
    ['Picture', webAddress(image_url)],
  ] as const;
  return (
    <>
      {links.map(([label, url]) =>
        url === null ? null : (
          <a key={label} class="desk-link" href={url} target="_blank" rel="noopener noreferrer nofollow">
            {label} <span aria-hidden="true">↗</span>
            <span class="hidden"> (opens a new tab)</span>
          </a>
        ),
      )}
    </>
  );
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** A name in which the words are marked that the other name lacks. */
function MarkedWords({ text, other }: { text: string; other: string }) {
  const known = new Set(wordsOf(other));
  const parts = text.split(/([\p{L}\p{N}]+)/u);
  return (
    <Text class="desk-name">
      {parts.map((part, at) =>
        at % 2 === 1 && !known.has(part.toLowerCase()) ? <mark key={at}>{part}</mark> : part,
      )}
    </Text>
  );
}

interface Row {
  label: string;
  values: [string, string];
  differs: boolean;
}

/** What matching reads from the names and the attributes, as far as products differ in it. */
const READ: [label: string, read: (one: Reading) => string][] = [
  ['Model', ({ line, model, variant }) => [line, model, variant].filter((part) => part !== null).join(' ')],
  ['Sizes', ({ sizes }) => sizes.toSorted().join(', ')],
  ['Pieces', ({ count }) => (count === null ? '' : String(count))],
  ['Colour', ({ colour }) => colour ?? ''],
  ['Edition', ({ edition }) => edition ?? ''],
  ['Goes with', ({ compatible_with: others }) => others.join(', ')],
];

const readRows = (a: Reading, b: Reading): Row[] =>
  READ.map(([label, read]) => ({ label, values: [read(a), read(b)] as [string, string] }))
    .filter(({ values }) => values.some((value) => value !== ''))
    .map(({ label, values: [one, other] }) => ({
      label: `${label}, as read`,
      values: [one, other],
      differs: one !== '' && other !== '' && one !== other,
    }));

/** Names of attributes that are about the shop or its offer, not about the product. */
const ABOUT_THE_OFFER = /^(shop|seller|merchant|store|stock|sold|reviews?|ratings?|likes|views)$/i;

/** What both listings state, field by field. The description comes last, because it is the longest. */
function rowsOf(a: Product, b: Product): Row[] {
  const attributes = [attributeTextByName(a), attributeTextByName(b)] as const;
  const names = [...new Set(attributes.flatMap((own) => [...own.keys()]))];
  // What two shops state about themselves and their offers differs almost always, so marking it would only distract.
  const marked = new Set(['Brand', ...names.filter((name) => !ABOUT_THE_OFFER.test(name)).map(sentence)]);
  const fields: [string, (one: Product) => string][] = [
    ['Price', ({ price, currency }) => (price === null ? '' : money(price, currency))],
    ['Brand', ({ brand }) => brand ?? ''],
    [
      'Category',
      ({ category, category_path: path }) => (path.length > 0 ? path.join(' > ') : (category ?? '')),
    ],
    ['SKU', ({ sku }) => sku],
  ];
  const rows = [
    ...fields.map(([label, read]): [string, string, string] => [label, read(a), read(b)]),
    ...names.map((name): [string, string, string] => [
      sentence(name),
      attributes[0].get(name) ?? '',
      attributes[1].get(name) ?? '',
    ]),
    ['Description', a.description ?? '', b.description ?? ''] as [string, string, string],
  ];
  const same = (one: string, other: string) => wordsOf(one).join(' ') === wordsOf(other).join(' ');
  return rows
    .filter(([, one, other]) => one !== '' || other !== '')
    .map(([label, one, other]) => ({
      label,
      values: [one, other],
      differs: marked.has(label) && one !== '' && other !== '' && !same(one, other),
    }));
}

function attributeTextByName({ metadata }: Product): Map<string, string> {
  const entriesOf = (value: unknown): [string, unknown][] =>
    typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
  // Some feeds state the attributes of a product in a member of their own.
  const entries = entriesOf(metadata).flatMap(([name, value]) =>
    name === 'attributes' && entriesOf(value).length > 0 ? entriesOf(value) : [[name, value] as const],
  );
  return new Map(
    entries.flatMap(([name, value]) =>
      value === null ? [] : [[name, typeof value === 'object' ? JSON.stringify(value) : String(value)]],
    ),
  );
}
