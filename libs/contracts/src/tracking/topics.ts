import { withTopicPrefix } from '../installation.js';
import { type Topic } from '../topic.js';

export const trackTopic = {
  name: withTopicPrefix('tracking.track.v1'),
  contract: 'track.v1',
  canaryContract: 'canary.v1',
} as const satisfies Topic;
export const identifyTopic = {
  name: withTopicPrefix('tracking.identify.v1'),
  contract: 'identify.v1',
} as const satisfies Topic;
