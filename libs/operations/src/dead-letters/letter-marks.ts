import { type DeadLetter, type LetterSummary } from '@sluice/kafka';
import { type ConsoleState } from '../console/console-state.js';
import { type ConsoleWriter } from '../console/console-writer.js';
import { type ConsoleRecords } from '../console/records.js';

type Letter = Pick<DeadLetter | LetterSummary, 'id' | 'refusedAt'>;

/** Number of records of one send. */
const recordsPerSend = 1_000;

/** The mark of a letter: `letter` when it was replayed. Undefined also when its message was refused again since the mark. */
export function findMark<K extends 'letter' | 'dismissed'>(
  state: ConsoleState,
  kind: K,
  { id, refusedAt }: Letter,
): ConsoleRecords[K] | undefined {
  const mark = state.get(kind, id);
  return mark !== undefined && Date.parse(mark.at) >= refusedAt ? mark : undefined;
}

/** Id of the one record of its kind. */
const untilId = 'letters';

/** Time up to which all letters were dismissed together, milliseconds since 1970; -Infinity if none were. */
export const readDismissedUntil = (state: ConsoleState): number =>
  state.get('dismissed-until', untilId)?.until ?? -Infinity;

/** The dismissal of a letter, by itself or with all letters up to a time. */
export function findDismissal(
  state: ConsoleState,
  letter: Letter,
): Pick<ConsoleRecords['dismissed'], 'at' | 'by' | 'why'> | undefined {
  const ownMark = findMark(state, 'dismissed', letter);
  if (ownMark) return ownMark;
  const common = state.get('dismissed-until', untilId);
  return common && letter.refusedAt <= common.until ? common : undefined;
}

/** True if someone has sent the letter back or dismissed it. */
export const isTreated = (state: ConsoleState, letter: Letter): boolean =>
  findMark(state, 'letter', letter) !== undefined || findDismissal(state, letter) !== undefined;

/** Marks all letters up to a time as needing no more attention: one record, however many they are. */
export const markDismissedUntil = (
  writer: ConsoleWriter,
  until: number,
  { why, by }: { why: string; by: string },
): Promise<unknown> =>
  writer.putAll('dismissed-until', new Map([[untilId, { until, at: new Date().toISOString(), by, why }]]));

/** Marks letters as needing no more attention. */
export async function markDismissed(
  writer: ConsoleWriter,
  ids: readonly string[],
  { why, by }: { why: string; by: string },
): Promise<void> {
  const dismissedAt = new Date().toISOString();
  for (let start = 0; start < ids.length; start += recordsPerSend) {
    const batch = ids.slice(start, start + recordsPerSend);
    await writer.putAll('dismissed', new Map(batch.map((id) => [id, { id, at: dismissedAt, by, why }])));
  }
}
