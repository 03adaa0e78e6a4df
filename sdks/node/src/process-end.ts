/** Functions that are called when the process exits. */
const endings = new Set<() => void>();

const onExit = (): void => {
  for (const end of endings) end();
};

/** Calls `work` at the exit of the process, which is not delayed. Returns a function that undoes this. */
export function atExit(work: () => void): () => void {
  if (endings.size === 0) process.on('exit', onExit);
  endings.add(work);
  return () => {
    endings.delete(work);
    if (endings.size === 0) process.off('exit', onExit);
  };
}

/**
 * Runs `work` when one of these signals arrives, then raises the signal again to end the process, unless the signal has
 * other listeners: they decide. Returns a function that undoes this.
 */
export function onSignals(signals: readonly NodeJS.Signals[], work: () => Promise<unknown>): () => void {
  const stop = (): void => {
    for (const signal of signals) process.off(signal, onSignal);
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    void work().finally(() => {
      stop();
      if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
    });
  };
  for (const signal of signals) process.on(signal, onSignal);
  return stop;
}
