import { parseDateTime, type Topic } from '@sluice/contracts';
import { type MessageType } from '@sluice/messages';
import { type IntakeKind } from '../intake/intake-kind.js';
import { originOf, type SourceRequest } from '../intake/source-request.js';
import { type Versions } from './versions.js';

/** Definition of one type of catalog entity; everything else is shared by all types. */
export interface Entity<T extends object, Columns extends object> {
  type: MessageType<T>;
  topic: Topic;
  /** Identifies the entity within its source. All its messages go to one partition, in the order of their arrival. */
  idOf: (message: T) => string;
  /** @throws ApiError when a value does not fit its column. */
  toColumns: (message: T, request: SourceRequest) => Columns;
}

/** Makes an entity a kind of message for the intake: each message becomes a row with its own version. */
export const versioned = <T extends object, Columns extends object>(
  { type, topic, idOf, toColumns }: Entity<T, Columns>,
  versions: Versions,
): IntakeKind<T> => ({
  type,
  topic,
  toRow: (message, messageId, request) => ({
    key: `${request.sourceIdentifier}:${idOf(message)}`,
    row: { ...originOf(request), message_id: messageId, version: versions.next(), ...toColumns(message, request) },
  }),
});

/** Converts a validated date-time to ISO 8601 in UTC. */
export const utc = (dateTime: string | null | undefined): string | undefined =>
  dateTime ? new Date(parseDateTime(dateTime)).toISOString() : undefined;
