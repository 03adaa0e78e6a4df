/** Length of milliseconds between 2001 and 2286, and of the seconds in them. */
const usualLength = 13;
const secondsLength = 10;

const memberWith = (text: string): string => `,"kafka_timestamp":"${text}"`;
export const maxTimeLength = memberWith('+000000-01-01T00:00:00.000Z').length;

/**
 * Writes times as ISO 8601, which every version of ClickHouse reads alike: a number is ticks before ClickHouse 26.8, and
 * seconds since. Rows of a block follow each other in time, so the last text is reused, whole or up to its second.
 */
export class TimeTexts {
  private ms = '';
  private memberText = '';
  private seconds = '-';
  private text = '';

  /** The member of a row that names its time in Kafka. @param ms milliseconds since 1970 */
  member(ms: string): string {
    if (ms !== this.ms) [this.ms, this.memberText] = [ms, memberWith(this.format(ms))];
    return this.memberText;
  }

  /** A time that ISO 8601 lacks stays as it is, and ClickHouse refuses its row. */
  private format(ms: string): string {
    if (ms.length !== usualLength || ms.startsWith('-')) return formatAny(ms);
    if (!ms.startsWith(this.seconds)) {
      this.seconds = ms.slice(0, secondsLength);
      this.text = formatAny(ms).slice(0, -'000Z'.length);
    }
    return `${this.text}${ms.slice(secondsLength)}Z`;
  }
}

function formatAny(ms: string): string {
  const time = new Date(Number(ms));
  return Number.isNaN(time.getTime()) ? ms : time.toISOString();
}
