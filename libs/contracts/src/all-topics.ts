import { catalogTopics } from './catalog/topics.js';
import { deviceTopic, interactionTopic } from './push/topics.js';
import { adRequestTopic } from './rtb/ad-request.js';
import { type Topic } from './topic.js';
import { refusedMessageTopic } from './tracking/refused-message.js';
import { identifyTopic, trackTopic } from './tracking/topics.js';

/** Every data topic of Sluice. A deployment needs all of them, and the dead-letter topic of each. */
export const allTopics: readonly Topic[] = [
  trackTopic, //
  identifyTopic,
  refusedMessageTopic,
  ...catalogTopics,
  interactionTopic,
  deviceTopic,
  adRequestTopic,
];
