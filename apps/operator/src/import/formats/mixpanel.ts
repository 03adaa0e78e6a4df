import { type FreeForm } from '@sluice/contracts';
import { item, objectOf, textOf, type ToItems, without } from './format.js';

const said = ['time', 'distinct_id', '$user_id', '$device_id', '$insert_id', 'mp_processing_time_ms'];
/** Larger times are in milliseconds; as seconds, this is the year 5138. */
const maxSeconds = 1e11;

/** Mixpanel's raw export: `{"event":…,"properties":{"time":…,"distinct_id":…}}`. */
export const fromMixpanel: ToItems = (record) => {
  const properties = objectOf(record['properties']);
  const event = textOf(record['event']) ?? '';
  const common = { ...personOf(properties), messageId: idOf(event, properties), timestamp: timeOf(properties['time']) };
  const rest = without(properties, ...said);
  if (event === '$identify') return [item('alias', { ...common, previousId: textOf(properties['$anon_distinct_id']) })];
  if (event === '$mp_web_page_view')
    return [item('page', { ...common, name: textOf(properties['current_page_title']), properties: rest })];
  return [item('track', { ...common, event, properties: rest })];
};

function personOf(properties: FreeForm): FreeForm {
  const id = textOf(properties['distinct_id']);
  const userId = textOf(properties['$user_id']);
  const device =
    textOf(properties['$device_id']) ?? (id?.startsWith('$device:') ? id.slice('$device:'.length) : undefined);
  if (userId !== undefined || device !== undefined) return { userId, anonymousId: device };
  return { userId: id };
}

/** Mixpanel treats events as copies of one event if all four of these values are equal. */
const idOf = (event: string, { $insert_id: insertId, distinct_id: id, time }: FreeForm): string | undefined =>
  insertId === undefined ? undefined : [event, textOf(id), textOf(time), textOf(insertId)].join('|').slice(-256);

function timeOf(value: unknown): string | undefined {
  const time = Number(textOf(value) ?? NaN);
  const ms = time > maxSeconds ? time : time * 1_000;
  return Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : textOf(value);
}
