import { DeadLetterBox } from '@sluice/kafka';
import { type Stage } from './stage.js';
import { faultSource, type Stream } from './stream.js';

const maxNamed = 10;

/** Counts messages that are not stored, and names some, each with its row in the table and its dead letter, if any. */
export async function describeMissing(stage: Stage, stream: Stream, from: number): Promise<string> {
  const { countedTable, idColumn, makeId, name, table, topic } = stream;
  const idsIn = async (place: string): Promise<Set<string>> => {
    const query = `SELECT DISTINCT toString(${idColumn}) AS id FROM ${place}
      WHERE source_id = '${faultSource}' AND ${idColumn} >= '${makeId(from)}'`;
    return new Set((await stage.ledger.select<{ id: string }>(query)).map(({ id }) => id));
  };
  const [stored, rows] = [await idsIn(countedTable), await idsIn(table)];
  const numbers = Array.from({ length: stage.load.sentCount(stream) - from }, (_, index) => from + index);
  const missing = numbers.map(makeId).filter((id) => !stored.has(id));
  const reasons = new Map<string, string>();
  const matches = ({ value, reason }: { value: Buffer | null; reason: string }): boolean => {
    const id = missing.find((missingId) => value?.includes(missingId));
    if (id !== undefined) reasons.set(id, reason);
    return false;
  };
  await new DeadLetterBox(stage.letters.kafka).read({ topics: [topic.name], limit: 0, matches });
  const descriptions = missing.slice(0, maxNamed).map((id) => {
    const row = rows.has(id) ? 'in the table, not in its view' : 'no row';
    const reason = reasons.get(id);
    return `${id} (${row}, ${reason === undefined ? 'no dead letter' : `dead letter: ${reason}`})`;
  });
  return `${name}: ${missing.length} are missing: ${descriptions.join(', ')}`;
}
