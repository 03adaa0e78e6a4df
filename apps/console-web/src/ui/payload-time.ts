const zonedPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)$/;
const unzonedPattern = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d(?:\.\d{1,9})?)$/;
const timeColumnPattern = /^(timestamp|kafka_timestamp|\w+_at)$/;

/** A time that a payload has as text. */
export interface PayloadTime {
  /** ISO 8601 UTC. */
  time: string;
  /** Whether the text says that it is in UTC. */
  saysUtc: boolean;
}

/**
 * Reads a text of a payload that is a time. A text without a zone is one only in a column of a row, where it is in UTC:
 * nobody knows the zone of what a client sent.
 * @param column name of the column; undefined for a value within others, and for what is not a row
 */
export function readPayloadTime(text: string, column: string | undefined): PayloadTime | undefined {
  if (zonedPattern.test(text)) return parseTime(text, text.endsWith('Z'));
  if (column === undefined || !timeColumnPattern.test(column)) return undefined;
  const [, day, clock] = unzonedPattern.exec(text) ?? [];
  return day === undefined || clock === undefined ? undefined : parseTime(`${day}T${clock}Z`, false);
}

function parseTime(text: string, saysUtc: boolean): PayloadTime | undefined {
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : { time: new Date(time).toISOString(), saysUtc };
}
