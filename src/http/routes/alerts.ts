import { Type } from 'typebox';
import { endpoint } from '../endpoint.js';
import { countParameter, DocumentId, optional } from '../../schemas/types.js';
import { ErrorSchema, failure, withheldSecret } from '../../schemas/errors.js';
import {
  AlertChangesSchema,
  AlertEventsSchema,
  AlertListSchema,
  AlertEventSchema,
  AlertSchema,
  CreatedAlertSchema,
  NewAlertSchema,
  RotatedAlertSchema,
} from '../../schemas/alerts.js';
import { listAlertEvents, redeliverEvent, testAlert } from '../../usecases/alerts/alert-events.js';
import {
  changeAlert,
  createAlert,
  deleteAlert,
  getAlert,
  listAlerts,
  rotateAlertSecret,
} from '../../usecases/alerts/manage-alerts.js';

const tag = 'Alerts';
const alertPath = Type.Object({ alert_id: DocumentId('The id of the alert') });
const noSuchAlert = failure('The developer has no such alert', 'Alert not found');

export const createAlertRoute = endpoint({
  tag,
  summary: 'Create an alert on a price or on availability',
  description:
    'An alert watches a listing, or all listings of its product, and stores an event when its condition becomes true, or at once if the ' +
    'price is low enough already. All keys of a developer share their alerts, at most 100 (`standard`: 500, `premium`: 2,000). If the ' +
    'developer has the same alert already, it is returned with status 200. A developer has at most 60 events a minute (`standard`: 300, ' +
    '`premium`: 600); what changes beyond is merged into one event of each alert after the minute. Alerts are checked by `npm run alerts`, a few seconds after ' +
    'a change. With `url`, events are also sent to it as webhooks, signed as Standard Webhooks defines. An event that is not answered with ' +
    '2xx within 5 seconds is sent up to 7 more times within about 28 hours. 410, or 20 failures in a row, pause the alert.',
  body: NewAlertSchema,
  idempotent: true,
  responses: {
    200: { description: 'The alert exists already', schema: AlertSchema },
    201: { description: 'The new alert, with its secret', schema: CreatedAlertSchema },
    404: failure('No listing has this id', 'Product not found'),
    409: {
      description:
        'The request repeats an `Idempotency-Key`, and `alert_id` is the alert that it has created',
      schema: withheldSecret('alert_id', 'AlertConflict'),
      example: {
        detail: 'This request has created al_0f1e2d3c; its secret was shown only once',
        alert_id: 'al_0f1e2d3c',
      },
    },
  },
  handle: (context, { body }, caller) => createAlert(context, body, caller),
});

export const listAlertsRoute = endpoint({
  tag,
  summary: 'List the alerts of the developer',
  description: 'The alerts of all keys of the developer, the oldest first.',
  query: Type.Object({
    limit: countParameter(1_000, 100, 'The maximum number of alerts'),
    offset: optional.Integer({
      minimum: 0,
      maximum: 2_000,
      default: 0,
      description: 'The number of alerts to skip',
    }),
  }),
  responses: { 200: { description: 'The alerts', schema: AlertListSchema } },
  handle: (context, { query }, caller) => listAlerts(context, query, caller),
});

export const getAlertRoute = endpoint({
  tag,
  summary: 'Retrieve an alert',
  description: 'Returns the alert without its secret.',
  pathParameters: alertPath,
  responses: { 200: { description: 'The alert', schema: AlertSchema }, 404: noSuchAlert },
  handle: (context, { path }, caller) => getAlert(context, path.alert_id, caller),
});

export const changeAlertRoute = endpoint({
  tag,
  summary: 'Pause, resume or change an alert',
  description:
    'Absent members stay as they are. An alert with another condition can fire at once, unless its cooldown still lasts. While the alert is paused, ' +
    'price changes do not fire it, but a price that is low enough when it is resumed does.',
  pathParameters: alertPath,
  body: AlertChangesSchema,
  responses: { 200: { description: 'The changed alert', schema: AlertSchema }, 404: noSuchAlert },
  handle: (context, { path, body }, caller) => changeAlert(context, path.alert_id, body, caller),
});

export const deleteAlertRoute = endpoint({
  tag,
  summary: 'Delete an alert',
  description: 'Its events can no longer be read.',
  pathParameters: alertPath,
  responses: { 204: { description: 'The alert is deleted' }, 404: noSuchAlert },
  handle: (context, { path }, caller) => deleteAlert(context, path.alert_id, caller),
});

export const alertEventsRoute = endpoint({
  tag,
  summary: 'List the events of an alert',
  description:
    'Events can be read for 30 days by default (`CHANGES_RETENTION`). Pass the last `event_id` as `after` to read only later ones.',
  pathParameters: alertPath,
  query: Type.Object({
    after: Type.Optional(DocumentId('The `event_id` of an event: only later events are returned')),
    limit: countParameter(1_000, 100, 'The maximum number of events'),
  }),
  responses: { 200: { description: 'The events', schema: AlertEventsSchema }, 404: noSuchAlert },
  handle: (context, { path, query }, caller) => listAlertEvents(context, path.alert_id, query, caller),
});

const accepted = {
  202: { description: 'The event, which is about to be sent', schema: AlertEventSchema },
  404: failure('The developer has no such alert, or the alert has no such event', 'Alert not found'),
  409: {
    ...failure('The alert has no `url`', 'The alert has no URL: set one with PATCH /v1/alerts/{alert_id}'),
    schema: ErrorSchema,
  },
};

export const testAlertRoute = endpoint({
  tag,
  summary: 'Send a test event to the URL of an alert',
  description:
    'The event has the type `alert.test` and no product. A developer can send 1,000 test events within 24 hours.',
  pathParameters: alertPath,
  responses: accepted,
  handle: (context, { path }, caller) => testAlert(context, path.alert_id, caller),
});

export const redeliverRoute = endpoint({
  tag,
  summary: 'Send an event again',
  description: 'The event keeps its id, and may have been delivered or given up before.',
  pathParameters: Type.Object({ ...alertPath.properties, event_id: DocumentId('The id of the event') }),
  responses: accepted,
  handle: (context, { path }, caller) => redeliverEvent(context, path, caller),
});

export const rotateAlertRoute = endpoint({
  tag,
  summary: 'Replace the secret of an alert',
  description: 'For 24 hours, webhooks are signed with both secrets.',
  pathParameters: alertPath,
  responses: {
    200: { description: 'The alert with its new secret', schema: RotatedAlertSchema },
    404: noSuchAlert,
  },
  handle: (context, { path }, caller) => rotateAlertSecret(context, path.alert_id, caller),
});
