import { withTopicPrefix } from '../installation.js';
import { type Topic } from '../topic.js';

export const interactionTopic = {
  name: withTopicPrefix('push.interaction.v1'),
  contract: 'interaction.v1',
} as const satisfies Topic;
export const deviceTopic = { name: withTopicPrefix('push.device.v1'), contract: 'device.v1' } as const satisfies Topic;
