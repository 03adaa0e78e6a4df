import { DeadLetterBox } from '@sluice/kafka';
import { type Stage } from './stage.js';
import { source, type Stream } from './stream.js';

const maxNamed = 10;

/** Counts messages that are not stored, and names some, each with its row in the table and its dead letter, if any. */
export async function missingOf(stage: Stage, stream: Stream, from: number): Promise<string> {
  const { counted, idColumn, idOf, name, table, topic } = stream;
  const idsIn = async (place: string): Promise<Set<string>> => {
    const query = `SELECT DISTINCT toString(${idColumn}) AS id FROM ${place}
      WHERE source_id = '${source}' AND ${idColumn} >= '${idOf(from)}'`;
    return new Set((await stage.ledger.select<{ id: string }>(query)).map(({ id }) => id));
  };
  const [stored, rows] = [await idsIn(counted), await idsIn(table)];
  const numbers = Array.from({ length: stage.load.countOf(stream) - from }, (_, index) => from + index);
  const missing = numbers.map(idOf).filter((id) => !stored.has(id));
  const reasons = new Map<string, string>();
  const matches = ({ value, reason }: { value: Buffer | null; reason: string }): boolean => {
    const id = missing.find((one) => value?.includes(one));
    if (id !== undefined) reasons.set(id, reason);
    return false;
  };
  await new DeadLetterBox(stage.letters.kafka).read({ topics: [topic.name], limit: 0, matches });
  const named = missing.slice(0, maxNamed).map((id) => {
    const row = rows.has(id) ? 'in the table, not in its view' : 'no row';
    const reason = reasons.get(id);
    return `${id} (${row}, ${reason === undefined ? 'no dead letter' : `dead letter: ${reason}`})`;
  });
  return `${name}: ${missing.length} are missing: ${named.join(', ')}`;
}
