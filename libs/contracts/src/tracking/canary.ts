import { trackTopic } from './topics.js';
import { type Topic } from '../topic.js';

/**
 * Source of the canary: the probes with which each gateway proves the way of an event (docs/decisions/0114-canary.md). It
 * is in no registry, and no operator can create it.
 */
export const canarySource = 'sluicecanary';

/** Event of a probe. */
export const canaryEvent = 'canary';

/** Probes lie in the topic of events, between them; their contract sends them to a table of their own. */
export const canaryTopic: Topic = { name: trackTopic.name, contract: trackTopic.canaryContract };
