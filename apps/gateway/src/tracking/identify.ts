import { IdentifyMessage, identifyTopic } from '@sluice/contracts';
import { identifyRow, personKey } from '@sluice/messages';
import { type IntakeKind } from '../intake/intake-kind.js';
import { keepByPlan } from './refused-row.js';
import { rowFacts } from './row-facts.js';

/** An identify message becomes a row of `identifies`. */
export const identifyKind: IntakeKind<IdentifyMessage> = {
  type: IdentifyMessage,
  topic: identifyTopic,
  toRow: (message, messageId, request, verdict) => ({
    key: personKey(message, request.sourceIdentifier),
    row: identifyRow(message, rowFacts(message, messageId, request, verdict)),
  }),
  planned: {
    bag: 'traits',
    judge: (plans, { traits }) => plans.judgeTraits(traits),
    drop: (plans, { traits }) => plans.dropFromTraits(traits),
    withBag: (message, traits) => Object.assign({}, message, { traits }),
    keep: keepByPlan('identify'),
  },
};
