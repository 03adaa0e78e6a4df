import { signalGroup } from './signal-group.js';

const groups = new Set<number>();

function killAll(): void {
  for (const pid of groups) signalGroup(pid, 'SIGKILL');
}

// The last resort when this process ends without stopping its servers: an uncaught exception, ^C in vitest.
process.on('exit', killAll);

// A signal that nobody else handles ends the process without `exit`, as vitest does to its workers.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  // First in line: a listener that listens only once is no longer counted after its turn.
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
