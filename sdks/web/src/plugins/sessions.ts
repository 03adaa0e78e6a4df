import { attempt, type Message } from '@sluice/sdk-core';
import { type PageParts, type WebPlugin } from '../options.js';
import { uuid } from '../page/uuid.js';

interface Session {
  readonly id: string;
  readonly start: number;
  last: number;
}

const name = 'sluice.s.session';
const minute = 60_000;
/** Milliseconds after which the time of the last message is stored again. */
const grain = 5_000;

/** Adds `context.session` to each message; all tabs of an origin share it. */
export function sessions({ idle = 30 * minute, longest = 24 * 60 * minute } = {}): WebPlugin {
  let parts: PageParts | undefined;
  let lastSession: Session | undefined;
  const read = (): Session | undefined =>
    attempt(() => JSON.parse(localStorage.getItem(name) ?? '') as Session) ?? lastSession;
  const plugin = (message: Message): Message => {
    const now = Date.now();
    const isShared = parts?.isGranted() === true;
    const session = (isShared ? read() : lastSession) ?? lastSession;
    const isRunning = session && now - session.last < idle && now - session.start < longest;
    const current = isRunning ? session : { id: uuid(), start: now, last: 0 };
    if (now - current.last > grain) {
      current.last = now;
      if (isShared) {
        attempt(() => localStorage.setItem(name, JSON.stringify(current)));
      }
    }
    lastSession = current;
    const { id, start } = current;
    return { ...message, context: { ...message.context, session: { id, start: new Date(start).toISOString() } } };
  };
  return Object.assign(plugin, {
    begin(pageParts: PageParts) {
      parts = pageParts;
    },
  });
}
