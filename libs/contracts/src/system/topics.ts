import { withTopicPrefix } from '../installation.js';
import { type Topic } from '../topic.js';

/** Refusals of the gateways: samples, and exact counts. Rows of `refused_requests`. */
export const refusedTopic: Topic = {
  name: withTopicPrefix('gateway.refused.v1'),
  contract: 'refused.v1',
  partitions: 3,
  retentionHours: 3 * 24,
  retentionBytes: 1024 ** 3,
};

/** Actions of people in the console or at a terminal. Rows of `operator_actions`. */
export const auditTopic: Topic = {
  name: withTopicPrefix('audit.v1'),
  contract: 'audit.v1',
  partitions: 1,
  retentionHours: 30 * 24,
};

/** Topics about the operation of Sluice: no gateway needs them to take a request. */
export const systemTopics: readonly Topic[] = [refusedTopic, auditTopic];
