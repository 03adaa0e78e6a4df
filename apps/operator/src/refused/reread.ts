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
  type MessageRules,
  personKey,
  Report,
  type RowFacts,
  segmentItem,
  type UsedNames,
  withinNames,
  withoutConsent,
} from '@sluice/messages';
import { type LivePlans, type Verdict } from '@sluice/plans';
import { type KeptMessage } from './kept-messages.js';

const trackReader = new MessageReader(TrackMessage);
const identifyReader = new MessageReader(IdentifyMessage);
const segmentEventReader = new MessageReader(SegmentEvent);
const segmentIdentifyReader = new MessageReader(SegmentIdentify);

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
export type Reread = { message: OutgoingMessage } | { why: string };

/**
 * Reads a kept message again, as a gateway reads it. The row has the id, request and time of the refused message, and
 * is marked as a possible repeat, because it may have been replayed before.
 */
export function reread(kept: KeptMessage, present: PresentRules): Reread {
  const body = parsed(kept.body);
  if (!isObject(body)) return { why: 'its body is not whole' };
  const report = new Report();
  report.names = present.names;
  const row = judged(body, kept, report, present);
  const [problem] = report.problems;
  if (!row) return { why: problem ? `${problem.field}: ${problem.message}` : 'is not valid' };
  return 'why' in row ? row : { message: outgoing(kept, row) };
}

interface TopicRow {
  topic: Topic;
  key: string;
  row: object;
}
type Judged = TopicRow | { why: string } | undefined;

/** An item of a client of Segment becomes a message first. */
function judged(body: FreeForm, kept: KeptMessage, report: Report, present: PresentRules): Judged {
  if (kept.kind === 'track') return trackRow(body, kept, report, present, trackReader);
  if (kept.kind === 'identify') return traitsRow(body, kept, report, present, identifyReader);
  const item = segmentItem(body, '', {});
  if (!('table' in item)) return { why: `${item.field}: ${item.message}` };
  return item.table === 'events'
    ? trackRow(item.message, kept, report, present, segmentEventReader, item.type === 'group')
    : traitsRow(item.message, kept, report, present, segmentIdentifyReader);
}

function trackRow(
  body: object,
  kept: KeptMessage,
  report: Report,
  { plans, rules }: PresentRules,
  reader: MessageReader<TrackMessage>,
  isOfGroup = false,
): Judged {
  const read = reader.read(body, '', report);
  if (!read) return undefined;
  if (rules && !rules.admits(read)) return notGranted;
  const message = rules ? rules.apply(read, '', report, isOfGroup) : read;
  const verdict = plans?.judgeEvent(message.event, message.properties);
  if (verdict && isRefused(verdict)) return { why: verdict.violations.join(' ') };
  if (plans && verdict && isCut(verdict))
    message.properties = plans.dropFromEvent(message.event, message.properties).properties;
  return {
    topic: trackTopic,
    key: personKey(message, kept.source_id),
    row: eventRow(stored(message, report), factsOf(kept, verdict)),
  };
}

function traitsRow(
  body: object,
  kept: KeptMessage,
  report: Report,
  { plans, rules }: PresentRules,
  reader: MessageReader<IdentifyMessage>,
): Judged {
  const read = reader.read(body, '', report);
  if (!read) return undefined;
  if (rules && !rules.admits(read)) return notGranted;
  const message = rules ? rules.apply(read, '', report) : read;
  const verdict = plans?.judgeTraits(message.traits);
  if (verdict && isRefused(verdict)) return { why: verdict.violations.join(' ') };
  if (plans && verdict && isCut(verdict)) message.traits = plans.dropFromTraits(message.traits).properties;
  const row = identifyRow(stored(message, report), factsOf(kept, verdict));
  return { topic: identifyTopic, key: personKey(message, kept.source_id), row };
}

/** The message with the names that the run may still use. */
const stored = <T extends object>(message: T, report: Report): T =>
  report.hasNewNames && report.names ? withinNames(message, report.names, '', report) : message;

const notGranted = { why: `${consentField}: ${withoutConsent}` };

const isRefused = ({ mode, violations }: Verdict): boolean => mode === 'refuse' && violations.length > 0;
const isCut = ({ mode, violations }: Verdict): boolean => mode === 'drop' && violations.length > 0;

const factsOf = (
  { source_id, request_id, received_at, message_id, user_agent, country }: KeptMessage,
  verdict: Verdict | undefined,
): RowFacts => ({
  origin: { source_id, request_id, received_at },
  messageId: message_id,
  userAgent: user_agent || undefined,
  country: country || undefined,
  verdict,
});

const outgoing = ({ request_id }: KeptMessage, { topic, key, row }: TopicRow): OutgoingMessage => ({
  topic: topic.name,
  key,
  value: JSON.stringify(row),
  headers: markedAsRepeat({ [header.contract]: topic.contract, [header.requestId]: request_id }),
});

function parsed(text: string): unknown {
  try {
    return parseText(text);
  } catch {
    return undefined;
  }
}
