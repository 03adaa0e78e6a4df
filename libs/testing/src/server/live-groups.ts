import { signalGroup } from './signal-group.js';

const groups = new Set<number>();

// The last resort when this process ends without stopping its servers: ^C in vitest, an uncaught exception.
process.on('exit', () => {
  for (const pid of groups) signalGroup(pid, 'SIGKILL');
});

export function trackGroup(pid: number): void {
  groups.add(pid);
}

export function forgetGroup(pid: number): void {
  groups.delete(pid);
}
