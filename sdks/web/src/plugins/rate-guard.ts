import { type Message } from '@sluice/sdk-core';
import { type PageParts, type WebPlugin } from '../options.js';

/**
 * Leaves out events beyond `most` of one name in a window: a rendering loop that tracks would fill the queue. Reports a
 * loop when it begins, and the number of events left out when the window ends.
 */
export function rateGuard({ most = 100, windowMs = 10_000 } = {}): WebPlugin {
  let parts: PageParts | undefined;
  let began = 0;
  let counts = new Map<string, number>();
  const report = (text: string): void => parts?.failed(text, undefined);
  function beginWindow(now: number): void {
    for (const [event, count] of counts)
      if (count > most) report(`${event}: ${count - most} left out by the rate guard`);
    counts = new Map();
    began = now;
  }
  const plugin = (message: Message): Message | null => {
    const now = performance.now();
    if (now - began > windowMs) beginWindow(now);
    const name = message.event ?? message.type;
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    if (count === most + 1)
      report(`${name}: more than ${most} in ${windowMs} ms, the rate guard leaves out the others`);
    return count > most ? null : message;
  };
  return Object.assign(plugin, {
    begin(pageParts: PageParts) {
      parts = pageParts;
    },
    end() {
      beginWindow(0);
    },
  });
}
