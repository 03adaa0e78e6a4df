import { type FreeForm } from '@sluice/contracts';
import { type ImportedItem, makeItem, readObject, readText, type ToItems, readUtcTime } from './format.js';

/** Members about the device, which go into `context`. */
const deviceMembers = ['platform', 'os_name', 'os_version', 'device_type', 'device_family', 'version_name', 'language'];
const placeMembers = ['country', 'region', 'city', 'library', 'session_id'];

/** Amplitude's export: a line per event. */
export const fromAmplitude: ToItems = (record) => {
  const common = {
    userId: readText(record['user_id']),
    anonymousId: readText(record['device_id']),
    messageId: readText(record['uuid']) ?? readText(record['$insert_id']) ?? readText(record['insert_id']),
    timestamp: readUtcTime(record['event_time']),
    context: readContext(record),
  };
  const event = readText(record['event_type']) ?? '';
  if (event === '$identify')
    return [makeItem('identify', { ...common, traits: readObject(record['user_properties']) })];
  if (event === '$groupidentify') return readGroups(record, common);
  return [makeItem('track', { ...common, event, properties: readObject(record['event_properties']) })];
};

/** A record can name several groups: `{"groups":{"org":["acme"]}}`. */
function readGroups(
  record: FreeForm,
  { messageId, ...common }: FreeForm & { messageId: string | undefined },
): ImportedItem[] {
  const groups = Object.entries(readObject(record['groups'])).flatMap(([groupType, ids]) =>
    [ids].flat().map((id) => [groupType, readText(id)] as const),
  );
  return groups.map(([groupType, groupId], index) =>
    makeItem('group', {
      ...common,
      messageId: messageId === undefined || index === 0 ? messageId : `${messageId}:${index}`,
      groupId,
      traits: { ...readObject(record['group_properties']), groupType },
    }),
  );
}

function readContext(record: FreeForm): FreeForm | undefined {
  const members = [...deviceMembers, ...placeMembers].flatMap((name) => {
    const value = readText(record[name]);
    return value === undefined ? [] : [[name, value] as const];
  });
  return members.length === 0 ? undefined : Object.fromEntries(members);
}
