import { type FreeForm } from '@sluice/contracts';
import { type ImportedItem, makeItem, readObject, readText, type ToItems, readUtcTime, omitMembers } from './format.js';

/** Members of `properties` that do not become properties of the item. */
const mappedNames = ['$set', '$set_once', '$group_set', '$anon_distinct_id', '$insert_id', 'token'];

/** PostHog's events, as its batch exports write them: `properties` is an object, or its JSON text. */
export const fromPosthog: ToItems = (record) => {
  const properties = readObject(record['properties']);
  const common = {
    ...readPerson(record, properties),
    messageId: readText(record['uuid']),
    timestamp: readUtcTime(record['timestamp']),
  };
  const event = readText(record['event']) ?? '';
  return [convertEvent(event, properties, common)];
};

function convertEvent(event: string, properties: FreeForm, common: FreeForm): ImportedItem {
  const otherProperties = omitMembers(properties, ...mappedNames);
  switch (event) {
    case '$identify':
    case '$set':
      return makeItem('identify', { ...common, ...formerId(properties), traits: readTraits(properties) });
    case '$create_alias':
      return makeItem('alias', { ...common, previousId: readText(properties['alias']) });
    case '$groupidentify':
      return makeItem('group', {
        ...common,
        groupId: readText(properties['$group_key']),
        traits: { ...readObject(properties['$group_set']), groupType: readText(properties['$group_type']) },
      });
    case '$pageview':
      return makeItem('page', { ...common, name: readText(properties['title']), properties: otherProperties });
    case '$screen':
      return makeItem('screen', { ...common, name: readText(properties['$screen_name']), properties: otherProperties });
    default:
      return makeItem('track', { ...common, event, properties: otherProperties });
  }
}

/** The id is a user's; if the event says that nobody was signed in, it is the device's. */
function readPerson(record: FreeForm, properties: FreeForm): FreeForm {
  const id = readText(record['distinct_id']);
  const isAnonymous = properties['$is_identified'] === false || (id !== undefined && id === properties['$device_id']);
  return isAnonymous ? { anonymousId: id } : { userId: id, anonymousId: readText(properties['$device_id']) };
}

const formerId = (properties: FreeForm): FreeForm => {
  const anonymousId = readText(properties['$anon_distinct_id']);
  return anonymousId === undefined ? {} : { anonymousId };
};

const readTraits = (properties: FreeForm): FreeForm => ({
  ...readObject(properties['$set_once']),
  ...readObject(properties['$set']),
});
