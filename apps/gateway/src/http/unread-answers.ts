import { type OwedAnswers } from './owed-answers.js';

const sweepMs = 1_000;
/** Time for a client to read an answer that is written. */
const patienceMs = 60_000;
/** Bytes of all answers together that clients may leave unread beyond what the system buffers. */
const mostBytes = 16 * 1024 * 1024;

/** Closes connections of clients that do not read: each after a time, and any beyond the limit of all together. */
export function watchUnreadAnswers(owed: OwedAnswers): void {
  const since = new WeakMap<object, number>();
  const sweep = (): void => {
    const now = performance.now();
    let bytes = 0;
    for (const answer of owed) {
      const { socket } = answer;
      if (!socket?.writableLength) continue;
      const firstSeen = since.get(answer) ?? now;
      since.set(answer, firstSeen);
      bytes += socket.writableLength;
      if (now - firstSeen > patienceMs || bytes > mostBytes) socket.destroy();
    }
  };
  setInterval(sweep, sweepMs).unref();
}
