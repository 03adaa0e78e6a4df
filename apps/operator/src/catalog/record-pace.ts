/**
 * Spaces records evenly. Time in which the gateway took none is not caught up: a burst afterwards is what a bound is for.
 * @param perSecond upper bound of the records a second
 */
export function makeRecordPace(perSecond: number): (records: number) => Promise<unknown> | undefined {
  let nextTime = 0;
  return (records) => {
    const now = performance.now();
    const sendTime = Math.max(nextTime, now);
    nextTime = sendTime + (records / perSecond) * 1_000;
    return sendTime > now ? new Promise((resolve) => setTimeout(resolve, sendTime - now)) : undefined;
  };
}
