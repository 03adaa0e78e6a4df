/**
 * Milliseconds since 1970 by the wall clock at the start of this process and the monotonic clock since: a wall clock
 * that is set does not change how old a message is. What another process wrote is as old as the two clocks say.
 */
export const steadyNow = (): number => Math.round(performance.timeOrigin + performance.now());
