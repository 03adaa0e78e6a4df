import {
  type IHeaders,
  type KafkaMessage,
  noHeaders,
  readHeaders,
  type RecordHeader,
  writeHeaders,
} from '@sluice/kafkajs';
import {
  type DeadLetter,
  deadLetterHeader,
  type LetterDamage,
  letterId,
  type LetterOrigin,
  originalMessageId,
  parseLetterId,
} from './dead-letter.js';
import { decodeBody, type MessageBody } from './letter-body.js';
import { readEncodedHeaders, headerText } from '../protocol/message-parts.js';

/** The fields of a letter that each of its parts has. */
type LetterHead = Pick<DeadLetter, 'reason' | 'refusedAt'> & LetterOrigin;

interface Part extends LetterHead {
  readonly id: string;
  readonly from: number;
  readonly bytes: Buffer;
  readonly allBytes: number;
}

/** The parts of a letter that were found so far, maybe of several attempts to write it. */
interface PartialLetter {
  readonly head: LetterHead;
  readonly allBytes: number;
  readonly parts: Part[];
  bytes: number;
}

/** Makes letters from the messages of dead-letter topics, given in any order: joins letters that are in parts. */
export class LetterReader {
  private readonly partialLetters = new Map<string, PartialLetter>();
  private readonly complete = new Set<string>();

  /** The letter that the message is or completes; undefined for other parts, and for foreign messages. */
  take(message: KafkaMessage): DeadLetter | undefined {
    // A part has no identity headers; a refused copy of a part has them and counts as a whole letter.
    const letter = readWhole(message) ?? this.join(message);
    if (letter) this.complete.add(letterId(letter));
    return letter;
  }

  /** Letters with missing parts, which retention took or which are still being written. */
  get damaged(): DeadLetter[] {
    const unfinished = [...this.partialLetters].filter(([, { head }]) => !this.complete.has(letterId(head)));
    return unfinished.map(([, { head, allBytes, parts }]) => {
      const missingBytes = allBytes - gatherRuns(parts).reduce((sum, { length }) => sum + length, 0);
      return damagedLetter(head, { missingBytes, allBytes });
    });
  }

  private join(message: KafkaMessage): DeadLetter | undefined {
    const part = readPart(message);
    if (!part || this.complete.has(part.id)) return undefined;
    const { id, allBytes } = part;
    const key = `${id}/${allBytes}`;
    const partial = this.partialLetters.get(key) ?? { head: part, allBytes, parts: [], bytes: 0 };
    this.partialLetters.set(key, partial);
    partial.parts.push(part);
    partial.bytes += part.bytes.length;
    if (partial.bytes < allBytes) return undefined;
    const [first, ...laterRuns] = gatherRuns(partial.parts);
    if (first?.length !== allBytes || laterRuns.length > 0) return undefined;
    this.partialLetters.delete(key);
    return joinParts(partial.head, first);
  }
}

/** Joins adjacent parts; bytes that two parts have count once. */
function gatherRuns(parts: readonly Part[]): Buffer[] {
  const runs: Buffer[][] = [];
  let end = -1;
  for (const { from, bytes } of parts.toSorted((a, b) => a.from - b.from)) {
    if (from > end) runs.push([]);
    const fresh = from > end ? bytes : bytes.subarray(end - from);
    runs.at(-1)?.push(fresh);
    end = Math.max(end, from + bytes.length);
  }
  return runs.map((run) => Buffer.concat(run));
}

function joinParts(head: LetterHead, bytes: Buffer): DeadLetter {
  try {
    const body = decodeBody(bytes);
    return makeLetter(head, body, readHeaders(body.encodedHeaders));
  } catch {
    return damagedLetter(head, { missingBytes: 0, allBytes: bytes.length });
  }
}

function damagedLetter(head: LetterHead, damage: LetterDamage): DeadLetter {
  return { ...makeLetter(head, { key: null, value: null, encodedHeaders: noHeaders }, []), damage };
}

function readPart(message: KafkaMessage): Part | undefined {
  const id = headerText(message, deadLetterHeader.partOf) ?? '';
  const range = /^(\d+)-(\d+)\/(\d+)$/.exec(headerText(message, deadLetterHeader.part) ?? '');
  const [from = 0, to = 0, allBytes = 0] = range?.slice(1).map(Number) ?? [];
  const origin = parseLetterId(id);
  const { value: bytes } = message;
  if (!range || !origin || bytes?.length !== to - from || to <= from || to > allBytes) return undefined;
  const reason = headerText(message, deadLetterHeader.reason) ?? '';
  return { ...origin, id, reason, refusedAt: Number(message.timestamp), from, bytes, allBytes };
}

const ownNames = [
  deadLetterHeader.reason,
  deadLetterHeader.topic,
  deadLetterHeader.partition,
  deadLetterHeader.offset,
  deadLetterHeader.timestamp,
];

/** Reads the last header of each name: the message may be a copy of a dead letter, which has such headers already. */
function readWhole(message: KafkaMessage): DeadLetter | undefined {
  const headers = readHeaders(readEncodedHeaders(message));
  const names = headers.map(({ name }) => name.toString());
  const lastIndexes = new Map(ownNames.map((name) => [name, names.lastIndexOf(name)] as const));
  const readText = (name: (typeof ownNames)[number]): string | undefined =>
    headers[lastIndexes.get(name) ?? -1]?.value?.toString();
  const [topic, partition] = [readText(deadLetterHeader.topic), Number(readText(deadLetterHeader.partition))];
  const offset = readText(deadLetterHeader.offset);
  if (topic === undefined || offset === undefined || !Number.isInteger(partition)) return undefined;
  const timestamp = Number(readText(deadLetterHeader.timestamp));
  const reason = readText(deadLetterHeader.reason) ?? '';
  const ownIndexes = new Set(lastIndexes.values());
  const original = headers.filter((_, index) => !ownIndexes.has(index));
  const { key, value } = message;
  const head = { topic, partition, offset, timestamp, reason, refusedAt: Number(message.timestamp) };
  return makeLetter(head, { key, value, encodedHeaders: writeHeaders(original) }, original);
}

function makeLetter(head: LetterHead, body: MessageBody, headers: readonly RecordHeader[]): DeadLetter {
  const { topic, partition, offset, timestamp, reason, refusedAt } = head;
  const origin = { topic, partition, offset, timestamp };
  const firstId = headers.findLast(({ name }) => name.toString() === deadLetterHeader.firstLetterId)?.value?.toString();
  return {
    id: originalMessageId(origin, firstId),
    ...origin,
    reason,
    refusedAt,
    ...body,
    headers: groupByName(headers),
  };
}

/** Headers in the form of kafkajs: a name that occurs several times has an array. */
function groupByName(headers: readonly RecordHeader[]): IHeaders {
  const values = new Map<string, (Buffer | null)[]>();
  for (const { name, value } of headers) {
    const text = name.toString();
    const earlierValues = values.get(text);
    if (earlierValues) earlierValues.push(value);
    else values.set(text, [value]);
  }
  const entries = [...values].map(([name, headerValues]) => [
    name,
    headerValues.length === 1 ? headerValues[0] : headerValues,
  ]);
  return Object.fromEntries(entries) as IHeaders;
}
