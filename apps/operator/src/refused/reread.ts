import {
  type FreeForm,
  header,
  IdentifyMessage,
  identifyTopic,
  isObject,
  parseText,
  SegmentEvent,
  SegmentIdentify,
  type Topic,
  TrackMessage,
  trackTopic,
} from '@sluice/contracts';
import { markedAsRepeat, type OutgoingMessage } from '@sluice/kafka';
import {
  consentField,
  eventRow,
  identifyRow,
  MessageReader,
  type MessageType,
  type MessageRules,
  personKey,
  Report,
  type RowFacts,
  readSegmentItem,
  withExactIds,
  type UsedNames,
  limitNewNames,
  withoutConsent,
} from '@sluice/messages';
import { type KeptMessage } from '@sluice/operations';
import { type LivePlans, type MessageVerdict } from '@sluice/plans';

/** Makes a reader when it is first asked for: it compiles a validator, which most commands do not need. */
function lazyReader<T extends object>(type: MessageType<T>): () => MessageReader<T> {
  let reader: MessageReader<T> | undefined;
  return () => (reader ??= new MessageReader(type));
}

const trackReader = lazyReader(TrackMessage);
const identifyReader = lazyReader(IdentifyMessage);
const segmentEventReader = lazyReader(SegmentEvent);
const segmentIdentifyReader = lazyReader(SegmentIdentify);

/** The plans and rules for messages of the source now. */
export interface PresentRules {
  /** Undefined when none is active. */
  plans: LivePlans | undefined;
  /** Undefined when the source has none. */
  rules: MessageRules | undefined;
  /** Names that the messages of this run use. */
  names: UsedNames;
}

/** A message that the present rules accept, or the reason why they do not. */
export type RereadOutcome = { message: OutgoingMessage } | { why: string };

/**
 * Reads a kept message again, as a gateway reads it. The row has the id, request and time of the refused message, and
 * is marked as a possible repeat, because it may have been replayed before.
 */
export function rereadMessage(keptMessage: KeptMessage, present: PresentRules): RereadOutcome {
  const { item: body } = withExactIds(parseJson(keptMessage.body), () => keptMessage.body);
  if (!isObject(body)) return { why: 'its body is not whole' };
  const report = new Report();
  report.names = present.names;
  const row = judge(body, keptMessage, report, present);
  const [problem] = report.problems;
  if (!row) return { why: problem ? `${problem.field}: ${problem.message}` : 'is not valid' };
  return 'why' in row ? row : { message: toOutgoing(keptMessage, row) };
}

interface TopicRow {
  topic: Topic;
  key: string;
  row: object;
}
type JudgedRow = TopicRow | { why: string } | undefined;

/** An item of a client of Segment becomes a message first. */
function judge(body: FreeForm, keptMessage: KeptMessage, report: Report, present: PresentRules): JudgedRow {
  if (keptMessage.kind === 'track') return makeTrackRow(body, keptMessage, report, present, trackReader());
  if (keptMessage.kind === 'identify') return makeTraitsRow(body, keptMessage, report, present, identifyReader());
  const item = readSegmentItem(body, '', {});
  if (!('table' in item)) return { why: `${item.field}: ${item.message}` };
  return item.table === 'events'
    ? makeTrackRow(item.message, keptMessage, report, present, segmentEventReader(), item.type === 'group')
    : makeTraitsRow(item.message, keptMessage, report, present, segmentIdentifyReader());
}

function makeTrackRow(
  body: object,
  keptMessage: KeptMessage,
  report: Report,
  { plans, rules }: PresentRules,
  reader: MessageReader<TrackMessage>,
  isOfGroup = false,
): JudgedRow {
  const readMessage = reader.read(body, '', report);
  if (!readMessage) return undefined;
  if (rules && !rules.admits(readMessage)) return notGranted;
  const message = rules ? rules.apply(readMessage, '', report, isOfGroup) : readMessage;
  const verdict = plans?.judgeEvent(message.event, message.properties);
  if (verdict && isRefused(verdict)) return { why: verdict.violations.join(' ') };
  if (plans && verdict && isCut(verdict))
    message.properties = plans.dropFromEvent(message.event, message.properties).properties;
  return {
    topic: trackTopic,
    key: personKey(message, keptMessage.source_id),
    row: eventRow(limitNames(message, report), toFacts(keptMessage, verdict)),
  };
}

function makeTraitsRow(
  body: object,
  keptMessage: KeptMessage,
  report: Report,
  { plans, rules }: PresentRules,
  reader: MessageReader<IdentifyMessage>,
): JudgedRow {
  const readMessage = reader.read(body, '', report);
  if (!readMessage) return undefined;
  if (rules && !rules.admits(readMessage)) return notGranted;
  const message = rules ? rules.apply(readMessage, '', report) : readMessage;
  const verdict = plans?.judgeTraits(message.traits);
  if (verdict && isRefused(verdict)) return { why: verdict.violations.join(' ') };
  if (plans && verdict && isCut(verdict)) message.traits = plans.dropFromTraits(message.traits).properties;
  const row = identifyRow(limitNames(message, report), toFacts(keptMessage, verdict));
  return { topic: identifyTopic, key: personKey(message, keptMessage.source_id), row };
}

/** The message with the names that the run may still use. */
const limitNames = <T extends object>(message: T, report: Report): T =>
  report.hasNewNames && report.names ? limitNewNames(message, report.names, '', report) : message;

const notGranted = { why: `${consentField}: ${withoutConsent}` };

const isRefused = ({ mode, violations }: MessageVerdict): boolean => mode === 'refuse' && violations.length > 0;
const isCut = ({ mode, violations }: MessageVerdict): boolean => mode === 'drop' && violations.length > 0;

const toFacts = (
  { source_id, request_id, received_at, message_id, user_agent, country }: KeptMessage,
  verdict: MessageVerdict | undefined,
): RowFacts => ({
  origin: { source_id, request_id, received_at },
  messageId: message_id,
  userAgent: user_agent || undefined,
  country: country || undefined,
  verdict,
});

const toOutgoing = ({ request_id }: KeptMessage, { topic, key, row }: TopicRow): OutgoingMessage => ({
  topic: topic.name,
  key,
  value: JSON.stringify(row),
  headers: markedAsRepeat({ [header.contract]: topic.contract, [header.requestId]: request_id }),
});

function parseJson(text: string): unknown {
  try {
    return parseText(text);
  } catch {
    return undefined;
  }
}
