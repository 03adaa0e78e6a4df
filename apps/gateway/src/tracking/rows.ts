import { type EventRow, type IdentifyMessage, type IdentifyRow, type TrackMessage } from '@sluice/contracts';
import { v7 as uuid } from 'uuid';
import { type KeyedRow } from '../intake/intake.js';
import { originOf, type SourceRequest } from '../intake/source-request.js';
import { toUtc } from '../intake/timestamp.js';

/** The row of a track message. */
export function eventRow(message: TrackMessage, request: SourceRequest): KeyedRow {
  const { event, properties } = message;
  const row: EventRow = { ...commonOf(message, request), event, ...(properties && { properties }) };
  return { key: keyOf(message, request), row };
}

/** The row of an identify message. */
export function identifyRow(message: IdentifyMessage, request: SourceRequest): KeyedRow {
  const { traits } = message;
  const row: IdentifyRow = { ...commonOf(message, request), ...(traits && { traits }) };
  return { key: keyOf(message, request), row };
}

function commonOf({ userId, anonymousId, context, timestamp }: TrackMessage | IdentifyMessage, request: SourceRequest) {
  const origin = originOf(request);
  return {
    ...origin,
    message_id: uuid(),
    ...(userId && { user_id: userId }),
    ...(anonymousId && { anonymous_id: anonymousId }),
    timestamp: timestamp ? toUtc(timestamp) : origin.received_at,
    ...(context && { context }),
  };
}

/** All messages of a person lie in one partition, in the order in which they came. */
const keyOf = ({ userId, anonymousId }: TrackMessage | IdentifyMessage, { sourceIdentifier }: SourceRequest): string =>
  `${sourceIdentifier}:${userId ?? anonymousId ?? ''}`;
