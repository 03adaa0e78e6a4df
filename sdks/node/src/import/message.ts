import { type ImportLine, maxLineLength } from './read-lines.js';

export type MessageKind = 'track' | 'identify';

/** A reason for which a message was refused, or stored without some of its values. */
export interface MessageProblem {
  readonly field: string;
  readonly message: string;
}

/** A line of a file as a message, or the problem of a line that is not one. */
export type ImportItem =
  | { readonly line: number; readonly kind: MessageKind; readonly text: string }
  | { readonly line: number; readonly problem: MessageProblem; readonly text: string };

const maxBytes = 262_144;
const decoder = new TextDecoder('utf-8', { fatal: true });
/** Characters of a refused line that go into the report. */
const excerptLength = 2_000;

/** The message of a line; undefined for an empty one. Rules of the service are checked by the service. */
export function parseLine({ number, bytes }: ImportLine): ImportItem | undefined {
  const refuse = (message: string, field = '', text = ''): ImportItem => ({
    line: number,
    problem: { field, message },
    text: text.slice(0, excerptLength),
  });
  if (!bytes) return refuse(`the line is longer than ${maxLineLength} bytes`);
  let text: string;
  try {
    text = decoder.decode(bytes).trim();
  } catch {
    return refuse('the line is not UTF-8', '', bytes.toString('latin1'));
  }
  if (text === '') return undefined;
  if (bytes.length > maxBytes) return refuse(`the message is larger than ${maxBytes} bytes`, '', text);
  const message = parseObject(text);
  if (!message) return refuse('the line is not a JSON object', '', text);
  const kind = chooseKind(message);
  if (!kind) return refuse("must be 'track' or 'identify'", 'type', text);
  // Without a timestamp, the time of the import would be stored, and a late repeat might not be recognised.
  if (typeof message['timestamp'] !== 'string')
    return refuse('must be there, as the time of the event', 'timestamp', text);
  if (message['type'] === undefined) return { line: number, kind, text };
  const members = Object.entries(message).filter(([name]) => name !== 'type');
  return { line: number, kind, text: JSON.stringify(Object.fromEntries(members)) };
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** `type` if it is given, as in exports of other services; else `identify` for traits without an event. */
function chooseKind({ type, event, traits }: Record<string, unknown>): MessageKind | undefined {
  if (type === 'track' || type === 'identify') return type;
  if (type !== undefined) return undefined;
  return event === undefined && traits !== undefined ? 'identify' : 'track';
}
