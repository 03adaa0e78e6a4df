import {
  adRequestTopic,
  categoryTopic,
  deviceTopic,
  generalEntityTopic,
  identifyTopic,
  interactionTopic,
  ofInstallation,
  productTopic,
  productVariantTopic,
  refusedMessageTopic,
  sellerTopic,
  trackTopic,
} from '@sluice/contracts';

/** Table and consumer group of a data topic: docs/architecture.md#topics-and-messages. */
export interface Destination {
  readonly topic: string;
  /** Consumer group that stores the topic's messages. */
  readonly group: string;
  readonly table: string;
  /** Whether rows of the table have a message_id. */
  readonly hasMessageId: boolean;
}

const appended = (group: string, { name }: { name: string }, table: string): Destination => ({
  topic: name,
  group: ofInstallation(group),
  table,
  hasMessageId: true,
});
const merged = (group: string, { name }: { name: string }, table: string): Destination => ({
  topic: name,
  group: ofInstallation(group),
  table,
  hasMessageId: false,
});

export const destinations: readonly Destination[] = [
  appended('tracking', trackTopic, 'events'),
  appended('tracking', identifyTopic, 'identifies'),
  appended('tracking', adRequestTopic, 'ad_requests'),
  appended('tracking', refusedMessageTopic, 'refused_messages'),
  merged('catalog', sellerTopic, 'sellers'),
  merged('catalog', productTopic, 'products'),
  merged('catalog', productVariantTopic, 'product_variants'),
  merged('catalog', categoryTopic, 'categories'),
  merged('catalog', generalEntityTopic, 'general_entities'),
  merged('push-interaction', interactionTopic, 'push_interactions'),
  merged('push-interaction', deviceTopic, 'push_devices'),
];

/** The topics and tables of accepted messages. */
export const acceptedDestinations: readonly Destination[] = destinations.filter(
  ({ topic }) => topic !== refusedMessageTopic.name,
);

export const destinationOf = (topic: string): Destination | undefined =>
  destinations.find((destination) => destination.topic === ofInstallation(topic));
