import {
  type IdentifyMessage,
  isObject,
  type RefusalReason,
  refusedMessageTopic,
  type RefusedMessageRow,
  type TrackMessage,
} from '@sluice/contracts';
import { boundProblems, type PlanVerdict, type Problem, rowTimestamp } from '@sluice/messages';
import { type OutgoingRow } from '../intake/outgoing-row.js';
import { type RefusedByPlan } from '../intake/planned.js';
import { rowOrigin, type SourceRequest } from '../intake/source-request.js';
import { maskWriteKeys } from '../refused/mask-keys.js';
import { readUserAgent } from './row-facts.js';

/** A message that is refused and kept whole. */
export interface RefusedMessage {
  kind: RefusedMessageRow['kind'];
  /** The item as sent, without what the rules of its source leave out. */
  body: unknown;
  /** The item as text, which is kept in place of a body that cannot be read. */
  text?: string | undefined;
  messageId: string;
  /** When it took place, if that is known. */
  timestamp?: string | undefined;
  userAgent?: string | undefined;
  reason: RefusalReason;
  problems: readonly Problem[];
  /** Verdict of the plan; undefined when the message was refused for another reason. */
  verdict?: PlanVerdict | undefined;
}

const maxProblems = 50;
const maxIdLength = 256;
/** Upper bound of a body, below what its topic takes; a character has at most three bytes in the row. */
const maxBodyBytes = 1_900_000;
const maxCutLength = 600_000;

/** Makes the row of a message that the plan of its source refuses. */
export const keepByPlan =
  (kind: RefusedMessage['kind']) =>
  ({ message, ...refused }: RefusedByPlan<TrackMessage | IdentifyMessage>, request: SourceRequest): OutgoingRow => {
    const timestamp = rowTimestamp(message, rowOrigin(request));
    return refusedRow(
      { ...refused, kind, reason: 'plan', timestamp, userAgent: readUserAgent(message, request) },
      request,
    );
  };

/** The row of `refused_messages` for a message of any shape. Its key is that of its person if it has one. */
export function refusedRow(refused: RefusedMessage, request: SourceRequest): OutgoingRow {
  const { kind, messageId, reason, verdict, timestamp = request.receivedAt } = refused;
  const sent: Record<string, unknown> = isObject(refused.body) ? refused.body : {};
  const [userId, anonymousId] = [readId(sent['userId']), readId(sent['anonymousId'])];
  const row: RefusedMessageRow = {
    ...rowOrigin(request),
    message_id: messageId,
    user_id: userId,
    anonymous_id: anonymousId,
    timestamp,
    kind,
    event: kind === 'identify' ? undefined : readText(sent['event'] ?? sent['type']),
    reason,
    plan_version: verdict?.planVersion,
    violations: verdict?.violations,
    problems: JSON.stringify(boundProblems(refused.problems).slice(0, maxProblems)),
    user_agent: refused.userAgent,
    country: request.client.country,
    body: cutToFit(maskWriteKeys(refused.text ?? JSON.stringify(refused.body))),
  };
  return { topic: refusedMessageTopic, key: `${request.sourceIdentifier}:${userId ?? anonymousId ?? messageId}`, row };
}

/** Clients of Segment send numbers too. */
const readId = (value: unknown): string | undefined => (typeof value === 'number' ? String(value) : readText(value));

const readText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= maxIdLength && value.isWellFormed() ? value : undefined;

/** Cuts a body to what a row may hold, where its quotes and backslashes are escaped once more. */
function cutToFit(body: string): string {
  if (body.length * 3 <= maxBodyBytes || Buffer.byteLength(JSON.stringify(body)) <= maxBodyBytes) return body;
  return body.slice(0, maxCutLength).toWellFormed();
}
