import { signalGroup } from './signal-group.js';

const groups = new Set<number>();

function killAll(): void {
  for (const pid of groups) signalGroup(pid, 'SIGKILL');
}

// A last resort if this process exits without stopping its servers: an uncaught exception, or ^C in vitest.
process.on('exit', killAll);

// An otherwise unhandled signal ends the process without an `exit` event; vitest ends its workers that way.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  // This listener must run first: a `once` listener is no longer counted after it has run.
  process.prependListener(signal, function end() {
    if (process.listenerCount(signal) > 1) return;
    killAll();
    process.off(signal, end);
    process.kill(process.pid, signal);
  });
}

export function trackGroup(pid: number): void {
  groups.add(pid);
}

export function forgetGroup(pid: number): void {
  groups.delete(pid);
}
