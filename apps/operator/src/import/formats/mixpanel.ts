import { type FreeForm } from '@sluice/contracts';
import { type ImportedItem, makeItem, readObject, readText, type ToItems, omitMembers } from './format.js';
import { WallClock } from './wall-clock.js';

const mappedNames = ['time', 'distinct_id', '$user_id', '$device_id', '$insert_id', 'mp_processing_time_ms'];
/** The largest time of a `Date`, less a day: the offset of a zone, which is added later, is shorter. */
const maxTime = 8.64e15 - 86_400_000;
/** Larger times are in milliseconds; as seconds, this is the year 5138. */
const maxSeconds = 1e11;

/**
 * Mixpanel's raw export: `{"event":…,"properties":{"time":…,"distinct_id":…}}`.
 * @param timezone of the project, if its times are local, as in projects that were made before 2023
 */
export const fromMixpanel = (timezone: string | undefined): ToItems => {
  const clock = timezone === undefined ? undefined : new WallClock(timezone);
  return (record) => convertRecord(record, clock);
};

function convertRecord(record: FreeForm, clock: WallClock | undefined): ImportedItem[] {
  const properties = readObject(record['properties']);
  const event = readText(record['event']) ?? '';
  const timestamp = readTime(properties['time'], clock);
  const common = { ...readPerson(properties), messageId: makeMessageId(event, properties), timestamp };
  const otherProperties = omitMembers(properties, ...mappedNames);
  if (event === '$identify')
    return [makeItem('alias', { ...common, previousId: readText(properties['$anon_distinct_id']) })];
  if (event === '$mp_web_page_view')
    return [
      makeItem('page', { ...common, name: readText(properties['current_page_title']), properties: otherProperties }),
    ];
  return [makeItem('track', { ...common, event, properties: otherProperties })];
}

function readPerson(properties: FreeForm): FreeForm {
  const id = readText(properties['distinct_id']);
  const userId = readText(properties['$user_id']);
  const device =
    readText(properties['$device_id']) ?? (id?.startsWith('$device:') ? id.slice('$device:'.length) : undefined);
  if (userId !== undefined || device !== undefined) return { userId, anonymousId: device };
  return { userId: id };
}

/** Mixpanel treats events as copies of one event if all four of these values are equal. */
const makeMessageId = (event: string, { $insert_id: insertId, distinct_id: id, time }: FreeForm): string | undefined =>
  insertId === undefined ? undefined : [event, readText(id), readText(time), readText(insertId)].join('|').slice(-256);

function readTime(value: unknown, clock: WallClock | undefined): string | undefined {
  const time = Number(readText(value) ?? NaN);
  const ms = time > maxSeconds ? time : time * 1_000;
  if (!(Math.abs(ms) <= maxTime)) return readText(value);
  return new Date(clock?.toUtc(ms) ?? ms).toISOString();
}
