import { type ChangeKind, type WatchedHour } from '@sluice/console-api';

/** Part of the least expectation up to which an hour of an event that stopped has almost nothing. */
const stoppedShare = 0.1;

/** Whether an hour shows a change of this kind; an hour without figures, or in which nothing is expected, shows none. */
function showsChange(kind: ChangeKind, { value, low, high }: WatchedHour): boolean {
  if (value === null || low === null || high === null) return false;
  if (kind === 'stopped') return low > 0 && value <= stoppedShare * low;
  return kind === 'fell' || kind === 'vanished' ? value < low : value > high;
}

/**
 * The first of the hours in a row that show a change. A change is known when its window has ended, and the hours before
 * that may show it too.
 * @param began beginning of the window in which it was found
 */
export function findFirstHour(kind: ChangeKind, began: string, hours: readonly WatchedHour[]): string {
  const beganIndex = hours.findIndex(({ hour }) => Date.parse(hour) === Date.parse(began));
  let index = beganIndex;
  for (let before = hours[index - 1]; before && showsChange(kind, before); before = hours[index - 1]) index -= 1;
  return hours[index]?.hour ?? began;
}
