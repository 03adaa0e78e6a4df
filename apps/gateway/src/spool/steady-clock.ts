/**
 * Returns milliseconds since 1970, by the wall clock at the start of this process and the monotonic clock since.
 * Setting the wall clock does not change the age of a message, except of messages that another process wrote.
 */
export const steadyNow = (): number => Math.round(performance.timeOrigin + performance.now());
