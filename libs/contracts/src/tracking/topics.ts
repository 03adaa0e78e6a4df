import { ofInstallation } from '../installation.js';
import { type Topic } from '../topic.js';

export const trackTopic = { name: ofInstallation('tracking.track.v1'), contract: 'track.v1' } as const satisfies Topic;
export const identifyTopic = {
  name: ofInstallation('tracking.identify.v1'),
  contract: 'identify.v1',
} as const satisfies Topic;
