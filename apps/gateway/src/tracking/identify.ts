import { IdentifyMessage, identifyTopic } from '@sluice/contracts';
import { identifyRow, personKey } from '@sluice/messages';
import { type IntakeKind } from '../intake/intake.js';
import { rowFacts } from './row-facts.js';

/** An identify message becomes a row of `identifies`. */
export const identify: IntakeKind<IdentifyMessage> = {
  type: IdentifyMessage,
  topic: identifyTopic,
  toRow: (message, messageId, request) => ({
    key: personKey(message, request.sourceIdentifier),
    row: identifyRow(message, rowFacts(message, messageId, request)),
  }),
};
