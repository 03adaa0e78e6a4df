import { canaryTopic, TrackMessage, trackTopic } from '@sluice/contracts';
import { eventRow, personKey } from '@sluice/messages';
import { type IntakeKind } from '../intake/intake-kind.js';
import { keepByPlan } from './refused-row.js';
import { rowFacts } from './row-facts.js';

/** A track message becomes a row of `events`. */
export const trackKind: IntakeKind<TrackMessage> = {
  type: TrackMessage,
  topic: trackTopic,
  toRow: (message, messageId, request, verdict) => ({
    key: personKey(message, request.sourceIdentifier),
    row: eventRow(message, rowFacts(message, messageId, request, verdict)),
  }),
  planned: {
    bag: 'properties',
    judge: (plans, { event, properties }) => plans.judgeEvent(event, properties),
    drop: (plans, { event, properties }) => plans.dropFromEvent(event, properties),
    withBag: (message, properties) => Object.assign({}, message, { properties }),
    keep: keepByPlan('track'),
  },
};

/** A probe of the canary is a track message in all but its contract, which sends it to a table of its own. */
export const probeKind: IntakeKind<TrackMessage> = { ...trackKind, topic: canaryTopic };
