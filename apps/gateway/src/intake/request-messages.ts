import { header, refusedMessageTopic, type Topic } from '@sluice/contracts';
import { type OutgoingMessage } from '@sluice/kafka';
import { httpError } from '../errors/api-error.js';
import { isWithin, type Quota, type QuotaCounts, findQuota } from '../limits/quotas.js';
import { type KeyedRow, type OutgoingRow } from './outgoing-row.js';
import { type IncomingRequest, type SourceRequest } from './source-request.js';

/** Upper bound of a row, below what its topic takes. */
const maxRowBytes = 1_000_000;
/** Upper bound of all rows of a request, those of refused messages included: five times the largest body. */
export const maxRequestRowBytes = 4_194_304;
/** Bytes of rows that a request may make before they are counted as memory in use, like a body. */
const uncountedBytes = 1_048_576;
const maxBytesPerUnit = 3;

/**
 * The messages of one request, and their rows. Their bytes are bounded while they are made, because what thousands of
 * items share becomes a part of each row. A request that stores nothing keeps none of them.
 */
export class RequestMessages {
  readonly rows: KeyedRow[] = [];
  readonly messages: OutgoingMessage[] = [];
  /** Numbers of the messages by their quota, also of a request that stores nothing. */
  readonly counts: QuotaCounts = { events: 0, people: 0 };
  /** Headers of the latest topic: messages of a topic follow one another. */
  private latest: { readonly topic: Topic; readonly headers: OutgoingMessage['headers'] } | undefined;
  /** Upper bound of the bytes, which needs no look at the characters. */
  private maxBytes = 0;
  /** Exact bytes; undefined while their upper bound is within the limit. */
  private exactBytes: number | undefined;

  constructor(private readonly request: IncomingRequest & Partial<Pick<SourceRequest, 'turns'>>) {}

  /**
   * @param value the row as JSON text
   * @throws ApiError 413 when the row, or all rows together, are too large; 503 when there is no memory for them.
   */
  add(topic: Topic, row: KeyedRow, value = JSON.stringify(row.row)): this {
    // A kept message has a bound of its own (refused-row.ts): an item that is refused must not refuse the others.
    if (topic !== refusedMessageTopic && isTooLarge(value)) throw httpError.tooLarge();
    this.count(value);
    const quota = findQuota(topic.name, row.row);
    if (quota) this.counts[quota] += 1;
    if (this.request.validateOnly) return this;
    this.rows.push(row);
    this.messages.push({ topic: topic.name, key: row.key, value, headers: this.buildHeaders(topic) });
    return this;
  }

  addAll(rows: readonly OutgoingRow[]): this {
    for (const row of rows) this.add(row.topic, row);
    return this;
  }

  /** The rows and messages that are stored when only this quota has room. */
  within(quota: Quota): Pick<RequestMessages, 'rows' | 'messages'> {
    const isStored = this.messages.map(({ topic }, index) => isWithin(quota, topic, this.rows[index]?.row ?? {}));
    const stored = (_: unknown, index: number): boolean => isStored[index] === true;
    return { rows: this.rows.filter(stored), messages: this.messages.filter(stored) };
  }

  private count(value: string): void {
    const { validateOnly, turns } = this.request;
    this.maxBytes += value.length * maxBytesPerUnit;
    if (this.maxBytes <= uncountedBytes && !validateOnly) return;
    const bytes = Buffer.byteLength(value);
    this.exactBytes = (this.exactBytes ?? this.bytesSoFar()) + bytes;
    if (this.exactBytes > maxRequestRowBytes) throw httpError.messagesTooLarge(maxRequestRowBytes);
    if (this.exactBytes > uncountedBytes && !validateOnly) turns?.holdMemory?.(bytes);
  }

  /** Bytes of the messages that were added before they had to be counted. */
  private bytesSoFar(): number {
    return this.messages.reduce((sum, { value }) => sum + Buffer.byteLength(value), 0);
  }

  private buildHeaders(topic: Topic): OutgoingMessage['headers'] {
    if (this.latest?.topic === topic) return this.latest.headers;
    const { id, traceparent, isPossibleRepeat } = this.request;
    const headers = {
      [header.contract]: topic.contract,
      [header.requestId]: id,
      ...(traceparent && { [header.traceparent]: traceparent }),
      ...(isPossibleRepeat && { [header.possibleRepeat]: '1' }),
    };
    this.latest = { topic, headers };
    return headers;
  }
}

/** Counts the bytes of long rows only. */
const isTooLarge = (row: string): boolean =>
  row.length > maxRowBytes / maxBytesPerUnit && Buffer.byteLength(row) > maxRowBytes;
