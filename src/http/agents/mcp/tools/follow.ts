import { type Static, type TProperties, Type } from 'typebox';
import { ApiError, invalid } from '../../../../platform/errors.js';
import { type AlertEventsSchema, type AlertListSchema, NewAlertSchema } from '../../../../schemas/alerts.js';
import { ChangePageSchema } from '../../../../schemas/changes.js';
import { Enum, optional } from '../../../../schemas/types.js';
import { type Item, itemsOf, limitOf, lineOf } from '../item.js';
import { fittingItems } from '../text.js';
import {
  type Api,
  argumentsOf,
  ask,
  asNumbers,
  bare,
  derived,
  type Tool,
  type ToolArguments,
  type ToolResult,
} from '../tool.js';

const anything = Type.Unknown();

const CHANGES = 'GET /v1/changes';
const DEFAULT_LIMIT = 20;

export const getChanges: Tool = {
  name: 'get_changes',
  title: 'Changes',
  description: 'Listings that changed since cursor; without one, the first cursor.',
  input: argumentsOf(CHANGES, {
    cursor: '',
    source: Type.Optional(Type.String()),
    category: '',
    kinds: '',
    limit: limitOf(100, DEFAULT_LIMIT),
  }),
  output: Type.Object({
    items: Type.Array(anything),
    ...derived(ChangePageSchema, bare('cursor has_more resync')),
  }),
  async run(args, api) {
    const toItem = itemsOf('compact', api.now);
    const read = async (limit: unknown) => {
      const page = await ask<Static<typeof ChangePageSchema>>(api, CHANGES, { ...args, limit });
      const items = page.items.map(({ product, ...change }) => ({
        ...change,
        product: product ? toItem(product) : null,
      }));
      const { length } = page.cursor;
      return { page, items, ...fittingItems(items, changeLines, { text: length, structured: length }) };
    };
    let { page, items, shown, lines } = await read(args['limit'] ?? DEFAULT_LIMIT);
    // The cursor follows the last item of a page, so a page that does not fit is read again with fewer items.
    while (shown.length < items.length) ({ page, items, shown, lines } = await read(shown.length));
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

type Act = (args: ToolArguments, api: Api) => Promise<ToolResult>;

const ACTIONS: Record<string, Act> = {
  create: createAlert,
  list: listAlerts,
  remove: removeAlert,
  events: listEvents,
};

const { when, ...ofAlert } = NewAlertSchema.properties;
const CONDITIONS = Object.keys(when.properties);

type Alert = Static<typeof AlertListSchema>['items'][number];

/** Alerts that agents create have no URL: they read the events, so no secret of a webhook reaches a language model. */
export const manageAlerts: Tool = {
  name: 'manage_alerts',
  title: 'Alerts',
  description:
    'create an alert on product_id with exactly one condition; list all; remove one; events: when it fired. Create and remove only if the user wants it.',
  input: Type.Object({
    action: Enum(Object.keys(ACTIONS)),
    alert_id: Type.Optional(Type.String()),
    after: optional.text('Event id: only later events'),
    ...derived(
      { properties: { ...ofAlert, ...when.properties } },
      {
        product_id: '',
        scope: 'product: in any shop',
        ...bare(CONDITIONS.join(' ')),
        price_below: 'With currency',
        drop_pct: 'Percent below the current price',
      },
    ),
  }),
  output: Type.Object({
    alerts: optional.Array(anything),
    total: Type.Optional(Type.Integer()),
    events: optional.Array(anything),
    has_more: Type.Optional(Type.Boolean()),
  }),
  safeCall: { action: 'list' },
  run(args, api) {
    const action = String(args['action'] as string);
    const act = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
    if (act !== undefined) return act(args, api);
    const msg = `Input should be one of ${Object.keys(ACTIONS).join(', ')}`;
    throw invalid([{ loc: ['body', 'action'], msg, type: 'enum' }]);
  },
};

async function createAlert(args: ToolArguments, { call }: Api): Promise<ToolResult> {
  const given = (schemas: TProperties) =>
    Object.fromEntries(
      Object.entries(schemas as Record<string, { type?: unknown }>).flatMap(([name, { type }]) => {
        const value = args[name] ?? '';
        if (value === '' || value === false) return [];
        return [[name, type === 'string' ? String(value as string | number) : asNumbers(value)]];
      }),
    );
  const { product_id, scope } = ofAlert;
  const body = { ...given({ product_id, scope }), when: given(when.properties) };
  const { secret: _, ...alert } = await conditionsAsArguments(
    call<Alert & { secret?: string }>('POST /v1/alerts', { body }),
  );
  return { structured: { alerts: [alert] }, lines: [lineOfAlert(alert)], ids: [alert.product_id] };
}

/** The endpoint's findings about `when` name members of the condition, which are arguments of the tool, so `when` is removed. */
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

async function listAlerts(_args: ToolArguments, api: Api): Promise<ToolResult> {
  const { items, total } = await ask<Static<typeof AlertListSchema>>(api, 'GET /v1/alerts', { limit: 100 });
  return {
    structured: { alerts: items, total },
    lines: [
      total === 0 ? 'no alerts' : `alerts: ${total}, the first created first`,
      ...items.map(lineOfAlert),
    ],
  };
}

async function removeAlert(args: ToolArguments, api: Api): Promise<ToolResult> {
  const alert_id = alertIdOf(args);
  await ask(api, 'DELETE /v1/alerts/{alert_id}', { alert_id });
  return { structured: {}, lines: [`${alert_id} is removed`] };
}

async function listEvents({ after, ...args }: ToolArguments, api: Api): Promise<ToolResult> {
  const asked = { alert_id: alertIdOf(args), after, limit: DEFAULT_LIMIT };
  const operation = 'GET /v1/alerts/{alert_id}/events';
  const { items, has_more } = await ask<Static<typeof AlertEventsSchema>>(api, operation, asked);
  const toItem = itemsOf('compact', api.now);
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
