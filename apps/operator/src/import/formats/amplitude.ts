import { type FreeForm } from '@sluice/contracts';
import { type ImportedItem, item, objectOf, textOf, type ToItems, utcTimeOf } from './format.js';

/** Members about the device, which go into `context`. */
const deviceMembers = ['platform', 'os_name', 'os_version', 'device_type', 'device_family', 'version_name', 'language'];
const placeMembers = ['country', 'region', 'city', 'library', 'session_id'];

/** Amplitude's export: a line per event. */
export const fromAmplitude: ToItems = (record) => {
  const common = {
    userId: textOf(record['user_id']),
    anonymousId: textOf(record['device_id']),
    messageId: textOf(record['uuid']) ?? textOf(record['$insert_id']) ?? textOf(record['insert_id']),
    timestamp: utcTimeOf(record['event_time']),
    context: contextOf(record),
  };
  const event = textOf(record['event_type']) ?? '';
  if (event === '$identify') return [item('identify', { ...common, traits: objectOf(record['user_properties']) })];
  if (event === '$groupidentify') return groupsOf(record, common);
  return [item('track', { ...common, event, properties: objectOf(record['event_properties']) })];
};

/** A record can name several groups: `{"groups":{"org":["acme"]}}`. */
function groupsOf(
  record: FreeForm,
  { messageId, ...common }: FreeForm & { messageId: string | undefined },
): ImportedItem[] {
  const groups = Object.entries(objectOf(record['groups'])).flatMap(([groupType, ids]) =>
    [ids].flat().map((id) => [groupType, textOf(id)] as const),
  );
  return groups.map(([groupType, groupId], index) =>
    item('group', {
      ...common,
      messageId: messageId === undefined || index === 0 ? messageId : `${messageId}:${index}`,
      groupId,
      traits: { ...objectOf(record['group_properties']), groupType },
    }),
  );
}

function contextOf(record: FreeForm): FreeForm | undefined {
  const members = [...deviceMembers, ...placeMembers].flatMap((name) => {
    const value = textOf(record[name]);
    return value === undefined ? [] : [[name, value] as const];
  });
  return members.length === 0 ? undefined : Object.fromEntries(members);
}
