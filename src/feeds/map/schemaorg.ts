type GraphNode = Record<string, unknown>;

const PRODUCTS = new Set(['Product', 'ProductModel', 'IndividualProduct', 'SomeProducts', 'Vehicle', 'Book']);
const MAX_DEPTH = 12;

/**
 * Extracts the offers of all products from a schema.org document. Each row is a product with one of its
 * offers in `offer` and, for a variant, its group in `group`. Lists, graphs and references by `@id` within
 * the document are followed.
 */
export function unfoldSchemaOrg(document: unknown): GraphNode[] {
  const byId = new Map<string, GraphNode>();
  collect(document, byId, 0);
  const rows: GraphNode[] = [];
  const seen = new Set<GraphNode>();
  const visit = (value: unknown, group: GraphNode | null, depth: number): void => {
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

function productRows(
  product: GraphNode,
  group: GraphNode | null,
  byId: ReadonlyMap<string, GraphNode>,
): GraphNode[] {
  const { offers, ...rest } = product;
  const nodesOf = (value: unknown): GraphNode[] =>
    [value]
      .flat()
      .map((one) => resolve(one, byId))
      .filter((node) => node !== null);
  const found = nodesOf(offers).flatMap((offer) => {
    const within = nodesOf(offer['offers']);
    return within.length > 0 ? within : [offer];
  });
  const base = { ...(group === null ? {} : { group: withoutVariants(group) }), ...rest };
  if (found.length === 0) return [base];
  // Each offer becomes a listing of its own, because several sellers may offer a product.
  return found.map((offer, index) => ({
    ...base,
    offer: { ...offer, seller: resolve(offer['seller'], byId) ?? offer['seller'] },
    ...(found.length > 1 ? { several: index + 1 } : {}),
  }));
}

const withoutVariants = ({ hasVariant: _, ...group }: GraphNode): GraphNode => group;

/** An object of a schema.org document, or the object that a reference by `@id` refers to. */
function resolve(value: unknown, byId: ReadonlyMap<string, GraphNode>): GraphNode | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const node = value as GraphNode;
  const { '@id': id } = node;
  return Object.keys(node).length === 1 && typeof id === 'string' ? (byId.get(id) ?? null) : node;
}

function collect(value: unknown, byId: Map<string, GraphNode>, depth: number): void {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return;
  const { '@id': id } = value as GraphNode;
  if (typeof id === 'string' && Object.keys(value).length > 1) byId.set(id, value as GraphNode);
  for (const item of Object.values(value)) collect(item, byId, depth + 1);
}
