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
  messageIdOf,
  parseLetterId,
} from './dead-letter.js';
import { decodeBody, type MessageBody } from './letter-body.js';
import { encodedHeadersOf, headerOf } from '../protocol/message-parts.js';

/** The fields of a letter that each of its parts has. */
type LetterHead = Pick<DeadLetter, 'reason' | 'refusedAt'> & LetterOrigin;

interface Part extends LetterHead {
  readonly id: string;
  readonly from: number;
  readonly bytes: Buffer;
  readonly allBytes: number;
}

/** The parts of a letter that were found so far, maybe of several attempts to write it. */
interface Parts {
  readonly head: LetterHead;
  readonly allBytes: number;
  readonly found: Part[];
  foundBytes: number;
}

/** Makes letters from the messages of dead-letter topics, given in any order: joins letters that are in parts. */
export class LetterReader {
  private readonly parts = new Map<string, Parts>();
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
    const unfinished = [...this.parts].filter(([, { head }]) => !this.complete.has(letterId(head)));
    return unfinished.map(([, { head, allBytes, found }]) => {
      const missingBytes = allBytes - gatherRuns(found).reduce((sum, { length }) => sum + length, 0);
      return damagedLetter(head, { missingBytes, allBytes });
    });
  }

  private join(message: KafkaMessage): DeadLetter | undefined {
    const part = readPart(message);
    if (!part || this.complete.has(part.id)) return undefined;
    const { id, allBytes } = part;
    const key = `${id}/${allBytes}`;
    const parts = this.parts.get(key) ?? { head: part, allBytes, found: [], foundBytes: 0 };
    this.parts.set(key, parts);
    parts.found.push(part);
    parts.foundBytes += part.bytes.length;
    if (parts.foundBytes < allBytes) return undefined;
    const [first, ...others] = gatherRuns(parts.found);
    if (first?.length !== allBytes || others.length > 0) return undefined;
    this.parts.delete(key);
    return joined(parts.head, first);
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

function joined(head: LetterHead, bytes: Buffer): DeadLetter {
  try {
    const body = decodeBody(bytes);
    return letterOf(head, body, readHeaders(body.encodedHeaders));
  } catch {
    return damagedLetter(head, { missingBytes: 0, allBytes: bytes.length });
  }
}

function damagedLetter(head: LetterHead, damage: LetterDamage): DeadLetter {
  return { ...letterOf(head, { key: null, value: null, encodedHeaders: noHeaders }, []), damage };
}

function readPart(message: KafkaMessage): Part | undefined {
  const id = headerOf(message, deadLetterHeader.partOf) ?? '';
  const range = /^(\d+)-(\d+)\/(\d+)$/.exec(headerOf(message, deadLetterHeader.part) ?? '');
  const [from = 0, to = 0, allBytes = 0] = range?.slice(1).map(Number) ?? [];
  const origin = parseLetterId(id);
  const { value: bytes } = message;
  if (!range || !origin || bytes?.length !== to - from || to <= from || to > allBytes) return undefined;
  const reason = headerOf(message, deadLetterHeader.reason) ?? '';
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
  const headers = readHeaders(encodedHeadersOf(message));
  const names = headers.map(({ name }) => name.toString());
  const lastAt = new Map(ownNames.map((name) => [name, names.lastIndexOf(name)] as const));
  const text = (name: (typeof ownNames)[number]): string | undefined =>
    headers[lastAt.get(name) ?? -1]?.value?.toString();
  const [topic, partition] = [text(deadLetterHeader.topic), Number(text(deadLetterHeader.partition))];
  const offset = text(deadLetterHeader.offset);
  if (topic === undefined || offset === undefined || !Number.isInteger(partition)) return undefined;
  const timestamp = Number(text(deadLetterHeader.timestamp));
  const reason = text(deadLetterHeader.reason) ?? '';
  const ours = new Set(lastAt.values());
  const original = headers.filter((_, at) => !ours.has(at));
  const { key, value } = message;
  const head = { topic, partition, offset, timestamp, reason, refusedAt: Number(message.timestamp) };
  return letterOf(head, { key, value, encodedHeaders: writeHeaders(original) }, original);
}

function letterOf(head: LetterHead, body: MessageBody, headers: readonly RecordHeader[]): DeadLetter {
  const { topic, partition, offset, timestamp, reason, refusedAt } = head;
  const origin = { topic, partition, offset, timestamp };
  const named = headers.findLast(({ name }) => name.toString() === deadLetterHeader.first)?.value?.toString();
  return { id: messageIdOf(origin, named), ...origin, reason, refusedAt, ...body, headers: byName(headers) };
}

/** Headers in the form of kafkajs: a name that occurs several times has an array. */
function byName(headers: readonly RecordHeader[]): IHeaders {
  const values = new Map<string, (Buffer | null)[]>();
  for (const { name, value } of headers) {
    const text = name.toString();
    const found = values.get(text);
    if (found) found.push(value);
    else values.set(text, [value]);
  }
  const entries = [...values].map(([name, all]) => [name, all.length === 1 ? all[0] : all]);
  return Object.fromEntries(entries) as IHeaders;
}
