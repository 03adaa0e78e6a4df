/**
 * Makes the time of a process pass faster: its clocks and timers. Returns the clock of the machine.
 * @param beganAt time from which the clocks of all processes of a run count
 */
export function hurry(speed: number, beganAt: number): () => number {
  const realNow = Date.now.bind(Date);
  const realMonotonic = performance.now.bind(performance);
  const realTimeout = setTimeout;
  Date.now = () => Math.floor(beganAt + (realNow() - beganAt) * speed);
  performance.now = () => realMonotonic() * speed;
  const fastTimeout = (work: (...args: unknown[]) => void, ms = 0, ...args: unknown[]): NodeJS.Timeout =>
    realTimeout(work, ms / speed, ...args);
  globalThis.setTimeout = fastTimeout as unknown as typeof setTimeout;
  return realNow;
}
