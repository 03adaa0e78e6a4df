/**
 * Prefix of the names of all topics and consumer groups, so that several installations can share one Kafka
 * (TOPIC_PREFIX, docs/operations.md#several-installations-on-one-kafka). Read once, because names are constants.
 */
export const topicPrefix: string = (typeof process === 'undefined' ? undefined : process.env['TOPIC_PREFIX']) ?? '';

/** The name of a topic or consumer group in this installation; a name that has the prefix stays as it is. */
export const withTopicPrefix = (name: string): string =>
  name.startsWith(topicPrefix) ? name : `${topicPrefix}${name}`;
