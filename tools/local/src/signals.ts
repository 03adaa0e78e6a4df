/** On ^C both the terminal and npm send a signal. A second signal within this time is the same ^C. */
const sameSignalMs = 500;
const parentCheckMs = 500;

/**
 * Calls `stop` on the first SIGINT, SIGTERM or SIGHUP; a second signal exits this process and its servers at once.
 * When run by npm, the end of the parent process counts as a signal too.
 */
export function stopOnSignal(isRunByNpm: boolean, stop: () => Promise<void>): void {
  let firstSignalTime: number | undefined;
  const onSignal = () => {
    if (firstSignalTime === undefined) {
      firstSignalTime = Date.now();
      void stop();
    } else if (Date.now() - firstSignalTime > sameSignalMs) {
      process.exit(1);
    }
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  if (isRunByNpm) stopWithParent(onSignal);
}

/** Watches the parent: a SIGTERM to npm ends the shell that runs the script, and the shell does not forward it. */
function stopWithParent(onParentGone: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onParentGone();
  }, parentCheckMs);
  timer.unref();
}
