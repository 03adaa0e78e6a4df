import { isDeepStrictEqual } from 'node:util';
import { type DeadLetter } from '@sluice/kafka';
import { invalid } from '../http/console-error.js';

/** Members that identify the message and its source. */
const ids = ['message_id', 'request_id', 'source_id', 'received_at'];
const maxChanged = 100;

type Row = Record<string, unknown>;

/** @throws ConsoleError 400 when the text is not a JSON object, or has other ids than the letter. */
export function edit(letter: DeadLetter, text: string): { letter: DeadLetter; changed: string[] } {
  const row = parse(text);
  if (!isRow(row)) throw invalid('The content must be one JSON object.');
  const before = original(letter);
  const changedId = ids.find((name) => before[name] !== undefined && before[name] !== row[name]);
  if (changedId !== undefined) throw invalid(`${changedId} must stay as it is: it identifies the message.`);
  const changed = differences(before, row, '').slice(0, maxChanged);
  return { letter: { ...letter, value: Buffer.from(withoutSpace(text)) }, changed };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalid(`The content is not JSON: ${(error as Error).message}`);
  }
}

const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The row of the letter; empty if its value is not a row. */
function original({ value }: DeadLetter): Row {
  try {
    const row: unknown = JSON.parse(String(value));
    return isRow(row) ? row : {};
  } catch {
    return {};
  }
}

/** Paths of the members that differ. */
function differences(before: Row, after: Row, path: string): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name) => {
    const [oldValue, newValue, innerPath] = [before[name], after[name], path === '' ? name : `${path}.${name}`];
    if (isDeepStrictEqual(oldValue, newValue)) return [];
    return isRow(oldValue) && isRow(newValue) ? differences(oldValue, newValue, innerPath) : [innerPath];
  });
}

/** Removes white space between tokens: numbers keep their digits, which parsing would round. */
const withoutSpace = (json: string): string =>
  json.replace(/("(?:[^"\\]|\\.)*")|\s+/g, (_: string, text: string | undefined) => text ?? '');
