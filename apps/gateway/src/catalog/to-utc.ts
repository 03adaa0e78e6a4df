import { parseDateTime } from '@sluice/contracts';

/** Converts a validated date-time to ISO 8601 in UTC. */
export const toUtc = (dateTime: string | null | undefined): string | undefined =>
  dateTime ? new Date(parseDateTime(dateTime)).toISOString() : undefined;
