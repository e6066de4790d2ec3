type Node = Record<string, unknown>;

const PRODUCTS = new Set(['Product', 'ProductModel', 'IndividualProduct', 'SomeProducts', 'Vehicle', 'Book']);
const MAX_DEPTH = 12;

/**
 * The offers of each product in a document of schema.org: a row is the product with `offer` in it, and with `group` where
 * it is a variant. Lists, graphs and references by `@id` within the document are followed.
 * @returns a product without an offer is one row.
 */
export function unfoldSchemaOrg(document: unknown): Node[] {
  const byId = new Map<string, Node>();
  collect(document, byId, 0);
  const rows: Node[] = [];
  const seen = new Set<Node>();
  const visit = (value: unknown, group: Node | null, depth: number): void => {
    if (depth > MAX_DEPTH) return;
    if (Array.isArray(value)) {
      for (const item of value) visit(item, group, depth + 1);
      return;
    }
    const node = resolve(value, byId);
    if (node === null || seen.has(node)) return;
    seen.add(node);
    const types = [node['@type'] ?? []].flat().map(String);
    if (types.includes('ProductGroup')) visit(node['hasVariant'], node, depth + 1);
    else if (types.some((type) => PRODUCTS.has(type))) rows.push(...productRows(node, group, byId));
    for (const key of ['@graph', 'itemListElement', 'item', 'mainEntity']) visit(node[key], group, depth + 1);
  };
  visit(document, null, 0);
  return rows;
}

function productRows(product: Node, group: Node | null, byId: ReadonlyMap<string, Node>): Node[] {
  const { offers, ...rest } = product;
  const nodesOf = (value: unknown): Node[] =>
    (Array.isArray(value) ? value : [value]).flatMap((one: unknown) => {
      const node = resolve(one, byId);
      return node === null ? [] : [node];
    });
  const found = nodesOf(offers).flatMap((offer) => {
    const within = nodesOf(offer['offers']);
    return within.length > 0 ? within : [offer];
  });
  const base = { ...(group === null ? {} : { group: withoutVariants(group) }), ...rest };
  if (found.length === 0) return [base];
  // Offers of several sellers are listings of their own.
  return found.map((offer, index) => ({
    ...base,
    offer: { ...offer, seller: resolve(offer['seller'], byId) ?? offer['seller'] },
    ...(found.length > 1 ? { several: index + 1 } : {}),
  }));
}

const withoutVariants = ({ hasVariant: _, ...group }: Node): Node => group;

/** An object, or what it refers to. */
function resolve(value: unknown, byId: ReadonlyMap<string, Node>): Node | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const node = value as Node;
  const { '@id': id } = node;
  return Object.keys(node).length === 1 && typeof id === 'string' ? (byId.get(id) ?? null) : node;
}

function collect(value: unknown, byId: Map<string, Node>, depth: number): void {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return;
  const { '@id': id } = value as Node;
  if (typeof id === 'string' && Object.keys(value).length > 1) byId.set(id, value as Node);
  for (const item of Object.values(value)) collect(item, byId, depth + 1);
}
