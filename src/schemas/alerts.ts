import { type Static, Type } from 'typebox';
import { ProductSchema } from './product.js';
import {
  component,
  documentedAs,
  Enum,
  flag,
  integer,
  nullable,
  optional,
  orNull,
  text,
  time,
  timeOrNull,
} from './types.js';

const conditions = {
  price_below: optional.String({
    description: 'The price is below this amount, a decimal string. Requires `currency`',
    pattern: '^\\d{1,12}(\\.\\d{1,4})?$',
    maxLength: 20,
    examples: ['300.00'],
  }),
  currency: optional.String({
    description: 'ISO 4217 code',
    pattern: '^[A-Z]{3}$',
    maxLength: 3,
    examples: ['SGD'],
  }),
  drop_pct: optional.Integer({
    description: 'The price is at least this many percent below the price when the alert was created',
    minimum: 1,
    maximum: 90,
    examples: [10],
  }),
  new_low: optional.Enum(['30d', '90d', 'ever'], {
    description: 'The price is the lowest of the last 30 days, of the last 90 days, or ever',
  }),
  back_in_stock: Type.Optional(Type.Boolean({ const: true, description: 'The product is in stock again' })),
  any_price_change: Type.Optional(Type.Boolean({ const: true, description: 'The price has changed' })),
};

export type AlertConditionName = Exclude<keyof typeof conditions, 'currency'>;

interface ConditionDefinition {
  $id: string;
  needs?: readonly (keyof typeof conditions)[];
  /** Whether an alert with the condition fires once while a state lasts, or at each event. */
  fires: 'in a state' | 'at an event';
}

/**
 * To add a condition, add its member to `conditions` and its entry here; the documentation and the tool for agents follow.
 * `HOLDS` in `src/listing/alerts.ts` decides when it is true.
 */
const DEFINITIONS: Record<AlertConditionName, ConditionDefinition> = {
  price_below: { $id: 'PriceBelow', needs: ['currency'], fires: 'in a state' },
  drop_pct: { $id: 'PriceDrop', fires: 'in a state' },
  new_low: { $id: 'NewLow', fires: 'at an event' },
  back_in_stock: { $id: 'BackInStock', fires: 'in a state' },
  any_price_change: { $id: 'AnyPriceChange', fires: 'at an event' },
};

export const ALERT_CONDITIONS = Object.keys(DEFINITIONS) as AlertConditionName[];

export const firesAtEvents = (name: AlertConditionName): boolean => DEFINITIONS[name].fires === 'at an event';

const named = (isWanted: (name: AlertConditionName) => boolean): string =>
  ALERT_CONDITIONS.filter(isWanted)
    .map((name) => `\`${name}\``)
    .join(', ')
    .replace(/, (?=[^,]*$)/, ' and ');

/** The condition of an alert. It is validated as one object, because the finding about a union would name no member. */
const when = documentedAs(
  Type.Object(conditions, {
    $id: 'AlertCondition',
    additionalProperties: false,
    description:
      `Exactly one condition. ${named((name) => !firesAtEvents(name))} fire once, and again only after they have been false and ` +
      'the cooldown has passed. A price that is low enough already fires at once. ' +
      `${named(firesAtEvents)} fire at every such ` +
      'change of the price, except during the cooldown',
    examples: [{ price_below: '300.00', currency: 'SGD' }],
  }),
  {
    type: undefined,
    properties: undefined,
    additionalProperties: undefined,
    oneOf: ALERT_CONDITIONS.map((condition) => {
      const { $id, needs = [] } = DEFINITIONS[condition];
      const required = [condition, ...needs];
      const properties = Object.fromEntries(required.map((name) => [name, conditions[name]]));
      return { $id, type: 'object', properties, required, additionalProperties: false };
    }),
  },
);

const cooldown = Type.Integer({
  description: 'The minimum number of seconds between two events of the alert',
  minimum: 0,
  maximum: 31_536_000,
});

export const NewAlertSchema = Type.Object(
  {
    product_id: integer('Product id of a listing'),
    scope: optional.Enum(['listing', 'product'], {
      default: 'listing',
      description:
        '`listing`: the listing alone. `product`: the lowest price of all listings of the same product that are not out of stock',
    }),
    when,
    url: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        maxLength: 2_048,
        description:
          'The https URL, at a public address and on port 443 or 8443, that events are sent to. If it is null, events are only stored',
        examples: ['https://hooks.example.com/prices'],
      }),
    ),
    cooldown_s: optional.Integer({ ...cooldown, default: 86_400 }),
    expires_at: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        format: 'date-time',
        maxLength: 40,
        description: 'When the alert expires, ISO 8601. If it is null, the alert does not expire',
      }),
    ),
  },
  {
    $id: 'NewAlert',
    additionalProperties: false,
    examples: [
      {
        product_id: 4_503_599_627_370_496,
        scope: 'product',
        when: { price_below: '300.00', currency: 'SGD' },
      },
    ],
  },
);

export const AlertChangesSchema = Type.Object(
  {
    state: optional.Enum(['active', 'paused'], {
      description: '`paused`: the alert is not checked until it is `active` again',
    }),
    when: Type.Optional(when),
    url: Type.Optional(NewAlertSchema.properties.url),
    cooldown_s: Type.Optional(cooldown),
    expires_at: Type.Optional(NewAlertSchema.properties.expires_at),
  },
  { $id: 'AlertChanges', additionalProperties: false, examples: [{ state: 'paused' }] },
);

const members = {
  alert_id: text('The id of the alert'),
  product_id: integer('Product id of the listing'),
  scope: Enum(['listing', 'product'], { description: 'Whether the listing or its product is watched' }),
  when,
  url: nullable('string', 'The URL that events are sent to; null if they are only stored', {
    examples: ['https://hooks.example.com/prices'],
  }),
  cooldown_s: cooldown,
  expires_at: timeOrNull('When the alert expires; null if it does not'),
  state: Enum(['active', 'paused', 'expired'], {
    description:
      '`active`: the alert is checked. `paused`: by a client, or by the service because webhooks failed or the key was revoked. `expired`: `expires_at` has passed',
  }),
  created_at: time('When the alert was created'),
  last_fired_at: timeOrNull('When the alert last fired; null if it never did'),
};

export const AlertSchema = component('Alert', 'An alert of a developer', members);

const secret = text(
  'The secret that signs webhooks (Standard Webhooks). It is shown only once',
  'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
);

export const CreatedAlertSchema = component('CreatedAlert', 'A new alert with its secret', {
  ...members,
  secret,
});

export const RotatedAlertSchema = component('RotatedAlert', 'An alert with its new secret', {
  ...members,
  secret,
  old_secret_expires_at: time('The time until which webhooks are also signed with the old secret'),
});

const delivery = component('AlertDelivery', 'The delivery of an event to the URL of its alert', {
  state: Enum(['pending', 'delivered', 'given_up'], {
    description:
      '`pending`: the event is sent at `next_at`. `delivered`: the receiver answered with a 2xx status. `given_up`: the event is not sent again',
  }),
  attempts: integer('The number of times that the event was sent'),
  next_at: timeOrNull('When the event is sent next; null if it is not'),
  error: nullable('string', 'Why the last attempt failed; null if it succeeded, or if there was none'),
});

export const AlertListSchema = component(
  'AlertList',
  'The alerts of the developer of the key, sorted by creation',
  { items: Type.Array(AlertSchema), total: integer('The number of alerts of the developer') },
);

export const AlertEventSchema = component('AlertEvent', 'An event of an alert, as it is stored and sent', {
  event_id: text('The id of the event'),
  type: Enum(['alert.fired', 'alert.test'], {
    description:
      '`alert.fired`: the condition became true. `alert.test`: requested by `POST /v1/alerts/{alert_id}/test`',
  }),
  timestamp: time(
    'When the price or the availability changed, or when the alert was created or changed if its condition was true already',
  ),
  data: Type.Object({
    alert_id: text('The id of the alert'),
    when,
    product: orNull(ProductSchema, 'The listing, or the best offer of the product, when the alert fired'),
    previous_price: nullable(
      'string',
      'The price at the previous check, as a decimal string; null if it is unknown or there was no check',
    ),
  }),
  delivery: orNull(delivery, 'The delivery to the URL of the alert; null if the alert has no URL'),
});

export const AlertEventsSchema = component('AlertEvents', 'Events of an alert, the earliest first', {
  items: Type.Array(AlertEventSchema),
  has_more: flag('Whether there are later events'),
});

/** What an alert waits for; exactly one condition, and `currency` with `price_below`. */
export type AlertCondition = Static<typeof when>;

export type NewAlert = Static<typeof NewAlertSchema>;
export type AlertChanges = Static<typeof AlertChangesSchema>;
