import { type ServerResponse } from 'node:http';
import { type Socket } from 'node:net';
import { type OwedAnswers } from './owed-answers.js';

const sweepMs = 1_000;
/** Time in which a client must read an answer that has been written. */
const timeoutMs = 60_000;
/** Unread bytes of all answers together that may wait in the process, beyond the system's buffers. */
const maxBytes = 16 * 1024 * 1024;

interface Unread {
  socket: Socket;
  bytes: number;
  since: number;
}

/**
 * Closes connections of clients that do not read: each after a time; earlier while the unread bytes exceed the limit,
 * beginning with those that have not read for the longest.
 */
export function watchUnreadAnswers(owed: OwedAnswers): void {
  const since = new WeakMap<ServerResponse, number>();
  setInterval(() => closeUnread(owed, since, performance.now()), sweepMs).unref();
}

/** @param since time at which each answer was first seen unread */
export function closeUnread(owed: Iterable<ServerResponse>, since: WeakMap<ServerResponse, number>, now: number): void {
  const unread: Unread[] = [];
  let bytes = 0;
  for (const answer of owed) {
    const { socket } = answer;
    if (!socket?.writableLength) continue;
    const firstSeen = since.get(answer) ?? now;
    since.set(answer, firstSeen);
    unread.push({ socket, bytes: socket.writableLength, since: firstSeen });
    bytes += socket.writableLength;
  }
  unread.sort((first, second) => first.since - second.since);
  for (const unreadAnswer of unread) {
    if (bytes <= maxBytes && now - unreadAnswer.since <= timeoutMs) break;
    unreadAnswer.socket.destroy();
    bytes -= unreadAnswer.bytes;
  }
}
