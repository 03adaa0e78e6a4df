import { type FreeForm } from '@sluice/contracts';
import { type ImportedItem, item, objectOf, textOf, type ToItems, utcTimeOf, without } from './format.js';

/** Members of `properties` that do not become properties of the item. */
const said = ['$set', '$set_once', '$group_set', '$anon_distinct_id', '$insert_id', 'token'];

/** PostHog's events, as its batch exports write them: `properties` is an object, or its JSON text. */
export const fromPosthog: ToItems = (record) => {
  const properties = objectOf(record['properties']);
  const common = {
    ...personOf(record, properties),
    messageId: textOf(record['uuid']),
    timestamp: utcTimeOf(record['timestamp']),
  };
  const event = textOf(record['event']) ?? '';
  return [itemOf(event, properties, common)];
};

function itemOf(event: string, properties: FreeForm, common: FreeForm): ImportedItem {
  const rest = without(properties, ...said);
  switch (event) {
    case '$identify':
    case '$set':
      return item('identify', { ...common, ...formerId(properties), traits: traitsOf(properties) });
    case '$create_alias':
      return item('alias', { ...common, previousId: textOf(properties['alias']) });
    case '$groupidentify':
      return item('group', {
        ...common,
        groupId: textOf(properties['$group_key']),
        traits: { ...objectOf(properties['$group_set']), groupType: textOf(properties['$group_type']) },
      });
    case '$pageview':
      return item('page', { ...common, name: textOf(properties['title']), properties: rest });
    case '$screen':
      return item('screen', { ...common, name: textOf(properties['$screen_name']), properties: rest });
    default:
      return item('track', { ...common, event, properties: rest });
  }
}

/** The id is a user's; if the event says that nobody was signed in, it is the device's. */
function personOf(record: FreeForm, properties: FreeForm): FreeForm {
  const id = textOf(record['distinct_id']);
  const isAnonymous = properties['$is_identified'] === false || (id !== undefined && id === properties['$device_id']);
  return isAnonymous ? { anonymousId: id } : { userId: id, anonymousId: textOf(properties['$device_id']) };
}

const formerId = (properties: FreeForm): FreeForm => {
  const anonymousId = textOf(properties['$anon_distinct_id']);
  return anonymousId === undefined ? {} : { anonymousId };
};

const traitsOf = (properties: FreeForm): FreeForm => ({
  ...objectOf(properties['$set_once']),
  ...objectOf(properties['$set']),
});
