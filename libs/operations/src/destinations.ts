import {
  adRequestTopic,
  categoryTopic,
  deviceTopic,
  generalEntityTopic,
  identifyTopic,
  interactionTopic,
  withTopicPrefix,
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
  /** True if rows of the table have a message_id. */
  readonly hasMessageId: boolean;
}

const appendedDestination = (group: string, { name }: { name: string }, table: string): Destination => ({
  topic: name,
  group: withTopicPrefix(group),
  table,
  hasMessageId: true,
});
const mergedDestination = (group: string, { name }: { name: string }, table: string): Destination => ({
  topic: name,
  group: withTopicPrefix(group),
  table,
  hasMessageId: false,
});

export const destinations: readonly Destination[] = [
  appendedDestination('tracking', trackTopic, 'events'),
  appendedDestination('tracking', identifyTopic, 'identifies'),
  appendedDestination('tracking', adRequestTopic, 'ad_requests'),
  appendedDestination('tracking', refusedMessageTopic, 'refused_messages'),
  mergedDestination('catalog', sellerTopic, 'sellers'),
  mergedDestination('catalog', productTopic, 'products'),
  mergedDestination('catalog', productVariantTopic, 'product_variants'),
  mergedDestination('catalog', categoryTopic, 'categories'),
  mergedDestination('catalog', generalEntityTopic, 'general_entities'),
  mergedDestination('push-interaction', interactionTopic, 'push_interactions'),
  mergedDestination('push-interaction', deviceTopic, 'push_devices'),
];

/** The topics and tables of accepted messages. */
export const acceptedDestinations: readonly Destination[] = destinations.filter(
  ({ topic }) => topic !== refusedMessageTopic.name,
);

export const findDestination = (topic: string): Destination | undefined =>
  destinations.find((destination) => destination.topic === withTopicPrefix(topic));
