import { parseDateTime, type Topic } from '@sluice/contracts';
import { type IntakeKind } from '../intake/intake.js';
import { type MessageType } from '../intake/schema.js';
import { originOf, type SourceRequest } from '../intake/source-request.js';
import { type Versions } from './versions.js';

/** What there is to know of a type of catalog entity; all else is the same for all of them. */
export interface Entity<T extends object, Columns extends object> {
  type: MessageType<T>;
  topic: Topic;
  /** Names the entity within its source; its messages lie in one partition, in the order in which they came. */
  idOf: (message: T) => string;
  /** @throws ApiError when a value is found not to fit only here. */
  toColumns: (message: T, request: SourceRequest) => Columns;
}

/** The entity's messages as the intake takes them: each a row with a version of its own. */
export const versioned = <T extends object, Columns extends object>(
  { type, topic, idOf, toColumns }: Entity<T, Columns>,
  versions: Versions,
): IntakeKind<T> => ({
  type,
  topic,
  toRow: (message, _, request) => ({
    key: `${request.sourceIdentifier}:${idOf(message)}`,
    row: { ...originOf(request), version: versions.next(), ...toColumns(message, request) },
  }),
});

/** ISO 8601 UTC of a date-time that was checked. */
export const utc = (dateTime: string | null | undefined): string | undefined =>
  dateTime ? new Date(parseDateTime(dateTime)).toISOString() : undefined;
