import { TrackMessage, trackTopic } from '@sluice/contracts';
import { eventRow, personKey } from '@sluice/messages';
import { type IntakeKind } from '../intake/intake.js';
import { rowFacts } from './row-facts.js';

/** A track message becomes a row of `events`. */
export const track: IntakeKind<TrackMessage> = {
  type: TrackMessage,
  topic: trackTopic,
  toRow: (message, messageId, request) => ({
    key: personKey(message, request.sourceIdentifier),
    row: eventRow(message, rowFacts(message, messageId, request)),
  }),
};
