/** npm passes on the ^C that the terminal has sent already: what comes so soon is the same one. */
const sameSignalMs = 500;
const parentCheckMs = 500;

/**
 * SIGINT, SIGTERM and SIGHUP call `stop`, once; one more of them ends this process and its servers at once.
 * Under npm the end of the parent process calls it too.
 */
export function stopOnSignal(isRunByNpm: boolean, stop: () => Promise<void>): void {
  let firstAt: number | undefined;
  const onSignal = () => {
    if (firstAt === undefined) {
      firstAt = Date.now();
      void stop();
    } else if (Date.now() - firstAt > sameSignalMs) {
      process.exit(1);
    }
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  if (isRunByNpm) stopWithParent(onSignal);
}

/** A SIGTERM to npm ends the shell that it runs a script in, which does not pass it on. */
function stopWithParent(onParentGone: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onParentGone();
  }, parentCheckMs);
  timer.unref();
}
