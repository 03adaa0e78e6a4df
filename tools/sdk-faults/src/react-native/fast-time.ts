/** Makes the time of this process pass faster, as if it had done so since `since`. */
export function hurry(speed: number, since: number): void {
  const [now, timer] = [Date.now.bind(Date), setTimeout];
  const monotonic = performance.now.bind(performance);
  Date.now = () => Math.floor(since + (now() - since) * speed);
  Object.defineProperty(performance, 'now', { value: () => monotonic() * speed });
  globalThis.setTimeout = ((work: () => void, ms = 0, ...args: []) =>
    timer(work, ms / speed, ...args)) as typeof setTimeout;
}
