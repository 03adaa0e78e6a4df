import { type FreeForm, identifyTopic, SegmentEvent, SegmentIdentify, trackTopic } from '@sluice/contracts';
import { eventRow, identifyRow, personKey, type PlanVerdict, type RowFacts, rowTimestamp } from '@sluice/messages';
import { userAgentText } from '../intake/client-facts.js';
import { type IntakeKind } from '../intake/intake-kind.js';
import { type OutgoingRow } from '../intake/outgoing-row.js';
import { type RefusedByPlan } from '../intake/planned.js';
import { rowOrigin, type SourceRequest } from '../intake/source-request.js';
import { refusedRow } from '../tracking/refused-row.js';
import { rowFacts } from '../tracking/row-facts.js';

type SegmentMessage = SegmentEvent | SegmentIdentify;

/** A message of Segment's `track`, `page`, `screen` or `group` becomes a row of `events`. */
export const segmentEvent: IntakeKind<SegmentEvent> = {
  type: SegmentEvent,
  topic: trackTopic,
  toRow: (message, messageId, request, verdict) => ({
    key: personKey(message, request.sourceIdentifier),
    row: eventRow(message, segmentRowFacts(message, messageId, request, verdict)),
  }),
  planned: {
    bag: 'properties',
    judge: (plans, { event, properties }) => plans.judgeEvent(event, properties),
    drop: (plans, { event, properties }) => plans.dropFromEvent(event, properties),
    withBag: (message, properties) => Object.assign({}, message, { properties }),
    keep: (refused, request) => keepByPlan(refused, request),
  },
};

/** A message of Segment's `group`. */
export const segmentGroup: IntakeKind<SegmentEvent> = { ...segmentEvent, isOfGroup: true };

/** A message of Segment's `identify` or `alias` becomes a row of `identifies`. */
export const segmentIdentify: IntakeKind<SegmentIdentify> = {
  type: SegmentIdentify,
  topic: identifyTopic,
  toRow: (message, messageId, request, verdict) => ({
    key: personKey(message, request.sourceIdentifier),
    row: identifyRow(message, segmentRowFacts(message, messageId, request, verdict)),
  }),
  planned: {
    bag: 'traits',
    judge: (plans, { traits }) => plans.judgeTraits(traits),
    drop: (plans, { traits }) => plans.dropFromTraits(traits),
    withBag: (message, traits) => Object.assign({}, message, { traits }),
    keep: (refused, request) => keepByPlan(refused, request),
  },
};

const segmentRowFacts = (
  message: SegmentMessage,
  messageId: string,
  request: SourceRequest,
  verdict: PlanVerdict | undefined,
): RowFacts => {
  const facts = rowFacts(message, messageId, request, verdict);
  facts.userAgent = readSegmentUserAgent(message.context, request) ?? facts.userAgent;
  return facts;
};

/** The client's user agent, which Segment's SDKs send in `context.userAgent`; the request's may be a server's. */
function readSegmentUserAgent(context: FreeForm | null | undefined, { client }: SourceRequest): string | undefined {
  const sent = client.userAgentFrom === 'nowhere' ? undefined : context?.['userAgent'];
  return typeof sent === 'string' ? userAgentText(sent) : undefined;
}

function keepByPlan({ message, ...refused }: RefusedByPlan<SegmentMessage>, request: SourceRequest): OutgoingRow {
  const timestamp = rowTimestamp(message, rowOrigin(request));
  const userAgent = readSegmentUserAgent(message.context, request) ?? request.client.userAgent;
  return refusedRow({ ...refused, kind: 'segment', reason: 'plan', timestamp, userAgent }, request);
}
