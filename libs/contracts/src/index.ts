export { FinalError } from './final-error.js';
export { header } from './headers.js';
export { deadLetterTopic, type Topic } from './topic.js';
export { Batch } from './tracking/batch.js';
export { IdentifyMessage } from './tracking/identify-message.js';
export { type EventRow, type IdentifyRow, type RowOrigin } from './tracking/rows.js';
export { identifyTopic, trackTopic } from './tracking/topics.js';
export { TrackMessage } from './tracking/track-message.js';
export { type FreeForm, type TrackingMessage } from './tracking/tracking-message.js';
