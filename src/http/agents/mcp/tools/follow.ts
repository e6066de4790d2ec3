import { type Static, Type } from 'typebox';
import { ApiError, invalid } from '../../../../platform/errors.js';
import type { AlertEventsSchema, AlertListSchema } from '../../../../schemas/alerts.js';
import { CHANGE_KINDS, type ChangePageSchema } from '../../../../schemas/changes.js';
import { Enum } from '../../../../schemas/types.js';
import { type Item, itemsOf, lineOf } from '../item.js';
import { fittingItems } from '../text.js';
import { type Api, asNumbers, asText, type Tool, type ToolArguments, type ToolResult } from '../tool.js';

const anything = Type.Unknown();

const CHANGES = ['cursor', 'source', 'category', 'kinds'];
const changeKindNames = Enum(CHANGE_KINDS);
const DEFAULT_LIMIT = 20;

export const getChanges: Tool = {
  name: 'get_changes',
  title: 'Changes',
  description: 'Listings that changed since cursor; without one, the first cursor.',
  input: {
    type: 'object',
    properties: {
      cursor: Type.String(),
      source: Type.String(),
      category: Type.String(),
      kinds: Type.Array(changeKindNames),
      limit: Type.Integer({ minimum: 1, maximum: 100, default: DEFAULT_LIMIT }),
    },
    additionalProperties: false,
  },
  output: Type.Object({
    items: Type.Array(anything),
    cursor: Type.String(),
    has_more: Type.Boolean(),
    resync: Type.Boolean(),
  }),
  async run(args, { call, now }) {
    const { kinds, ...query } = asText({ limit: DEFAULT_LIMIT, ...args }, [...CHANGES, 'limit']);
    const toItem = itemsOf('compact', now);
    const read = async (limit: string | undefined) => {
      const page = await call<Static<typeof ChangePageSchema>>('GET /v1/changes', {
        query: {
          ...query,
          ...(limit === undefined ? {} : { limit }),
          ...(kinds === undefined ? {} : { kinds: kinds.replaceAll('|', ',') }),
        },
      });
      const items = page.items.map(({ product, ...change }) => ({
        ...change,
        product: product ? toItem(product) : null,
      }));
      const { length } = page.cursor;
      return { page, items, ...fittingItems(items, changeLines, { text: length, structured: length }) };
    };
    let { page, items, shown, lines } = await read(query['limit']);
    // The cursor follows the last item of its page. If an item were left out, its change would be missed, so a page that
    // does not fit is read again with fewer items.
    while (shown.length < items.length) ({ page, items, shown, lines } = await read(String(shown.length)));
    return {
      structured: { ...page, items },
      lines: [
        `${items.length} changed${page.has_more ? ', and there are more' : ''}; the next call: cursor=${page.cursor}`,
        ...lines,
      ],
      ids: items.flatMap(({ id, product }) => (product === null ? [] : [id])),
    };
  },
};

const changeLines = ({ id, kinds, product }: { id: number; kinds: string[]; product: unknown }): string[] => [
  product === null ? `${id} ${kinds.join(', ')}` : lineOf(product as Item, kinds.join(', ')),
];

const ACTIONS = ['create', 'list', 'remove', 'events'] as const;
const CONDITIONS = ['price_below', 'currency', 'drop_pct', 'new_low', 'back_in_stock', 'any_price_change'];

type Alert = Static<typeof AlertListSchema>['items'][number];

/** Alerts that agents create have no URL: they read the events, so no secret of a webhook reaches a language model. */
export const manageAlerts: Tool = {
  name: 'manage_alerts',
  title: 'Alerts',
  description:
    'create an alert on product_id with exactly one condition; list all; remove one; events: when it fired. Create and remove only if the user wants it.',
  input: {
    type: 'object',
    properties: {
      action: Enum(ACTIONS),
      alert_id: Type.String(),
      after: Type.String({ description: 'Event id: only later events' }),
      product_id: Type.Integer(),
      scope: Enum(['listing', 'product'], { description: 'product: in any shop' }),
      price_below: Type.String({ description: 'With currency' }),
      currency: Type.String(),
      drop_pct: Type.Integer({ description: 'Percent below the current price' }),
      new_low: Enum(['30d', '90d', 'ever']),
      back_in_stock: Type.Boolean(),
      any_price_change: Type.Boolean(),
    },
    required: ['action'],
    additionalProperties: false,
  },
  output: Type.Object({
    alerts: Type.Optional(Type.Array(anything)),
    total: Type.Optional(Type.Integer()),
    events: Type.Optional(Type.Array(anything)),
    has_more: Type.Optional(Type.Boolean()),
  }),
  safeCall: { action: 'list' },
  run(args, api) {
    switch (args['action']) {
      case 'create':
        return createAlert(args, api);
      case 'list':
        return listAlerts(api);
      case 'remove':
        return removeAlert(alertIdOf(args), api);
      case 'events':
        return listEvents(args, api);
      default:
        throw invalid([
          { loc: ['body', 'action'], msg: `Input should be one of ${ACTIONS.join(', ')}`, type: 'enum' },
        ]);
    }
  },
};

async function createAlert(args: ToolArguments, { call }: Api): Promise<ToolResult> {
  const given = (names: readonly string[]) =>
    names.flatMap((name): [string, unknown][] =>
      [undefined, null, '', false].includes(args[name] as null) ? [] : [[name, args[name]]],
    );
  const when = given(CONDITIONS).map(([name, value]) => [
    name,
    name === 'price_below' ? String(value as string | number) : asNumbers(value),
  ]);
  const rest = given(['product_id', 'scope']).map(([name, value]) => [name, asNumbers(value)]);
  const body = { ...Object.fromEntries(rest), when: Object.fromEntries(when) };
  const { secret: _, ...alert } = await conditionsAsArguments(
    call<Alert & { secret?: string }>('POST /v1/alerts', { body }),
  );
  return { structured: { alerts: [alert] }, lines: [lineOfAlert(alert)], ids: [alert.product_id] };
}

/** In findings of the endpoint, the members of `when` are those of the condition, which are arguments of the tool. */
async function conditionsAsArguments<Body>(answer: Promise<Body>): Promise<Body> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof ApiError) || typeof error.detail === 'string') throw error;
    throw invalid(
      error.detail.map((issue) => {
        const [where = 'body', member, ...inner] = issue.loc;
        if (member !== 'when') return issue;
        return { ...issue, loc: inner.length > 0 ? [where, ...inner] : [where, CONDITIONS.join(' | ')] };
      }),
    );
  }
}

async function listAlerts({ call }: Api): Promise<ToolResult> {
  const { items, total } = await call<Static<typeof AlertListSchema>>('GET /v1/alerts', {
    query: { limit: '100' },
  });
  return {
    structured: { alerts: items, total },
    lines: [
      total === 0 ? 'no alerts' : `alerts: ${total}, the first created first`,
      ...items.map(lineOfAlert),
    ],
  };
}

async function removeAlert(alert_id: string, { call }: Api): Promise<ToolResult> {
  await call('DELETE /v1/alerts/{alert_id}', { path: { alert_id } });
  return { structured: {}, lines: [`${alert_id} is removed`] };
}

async function listEvents(args: ToolArguments, { call, now }: Api): Promise<ToolResult> {
  const alert_id = alertIdOf(args);
  const { items, has_more } = await call<Static<typeof AlertEventsSchema>>(
    'GET /v1/alerts/{alert_id}/events',
    { path: { alert_id }, query: { ...asText(args, ['after']), limit: String(DEFAULT_LIMIT) } },
  );
  const toItem = itemsOf('compact', now);
  const events = items.map(({ event_id, type, timestamp, data }) => ({
    event_id,
    type,
    timestamp,
    product: data.product === null ? null : toItem(data.product),
    previous_price: data.previous_price,
  }));
  return {
    structured: { events, has_more },
    lines: [
      eventsSummary(events, has_more),
      ...events.map(({ timestamp, product, previous_price }) => {
        const before = `before ${previous_price ?? 'without a price'}`;
        return `${timestamp}: ${product === null ? 'withdrawn' : lineOf(product, before)}`;
      }),
    ],
    ids: events.flatMap(({ product }) => product?.id ?? []),
  };
}

function eventsSummary(events: readonly { event_id: string }[], hasMore: boolean): string {
  const last = events.at(-1)?.event_id;
  if (last === undefined) return 'no events';
  return `events: ${events.length}, the earliest first${hasMore ? `; after=${last} gives the next` : ''}`;
}

function alertIdOf({ alert_id: id }: ToolArguments): string {
  if (typeof id === 'string' && id !== '') return id;
  throw invalid([{ loc: ['path', 'alert_id'], msg: 'Field required', type: 'missing' }]);
}

const lineOfAlert = ({ alert_id, product_id, scope, when, state, last_fired_at }: Alert): string =>
  `${alert_id} on ${scope} ${product_id}: ${JSON.stringify(when)}, ${state}, ${last_fired_at === null ? 'not fired yet' : `last fired ${last_fired_at}`}`;
