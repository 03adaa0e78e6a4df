import { type Topic } from '../topic.js';

export const trackTopic = { name: 'tracking.track.v1', contract: 'track.v1' } as const satisfies Topic;
export const identifyTopic = { name: 'tracking.identify.v1', contract: 'identify.v1' } as const satisfies Topic;
