import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { closeUnread } from './unread-answers.js';

const mib = 1024 * 1024;

/** An answer of which the client leaves `bytes` unread. */
function unread(bytes: number): ServerResponse {
  const socket = new Socket();
  const answer = new ServerResponse(new IncomingMessage(socket));
  answer.assignSocket(socket);
  // Written bytes stay in the socket, because it is never uncorked.
  socket.cork();
  if (bytes > 0) socket.write(Buffer.alloc(bytes));
  return answer;
}

const areClosed = (answers: readonly ServerResponse[]): boolean[] => answers.map(({ req }) => req.socket.destroyed);

it('closes the connections that have not read for the longest, until all unread bytes are within the limit', () => {
  const since = new WeakMap<ServerResponse, number>();
  const old = unread(6 * mib);
  const older = unread(6 * mib);
  const young = unread(6 * mib);
  const idle = unread(0);
  closeUnread([older, idle], since, 1_000);
  closeUnread([old, older], since, 2_000);
  // The order of the list differs from the order in time.
  const all = [young, idle, old, older];
  closeUnread(all, since, 3_000);
  expect(areClosed(all)).toEqual([false, false, false, true]);
});

it('closes a connection that has not read for a minute, however few bytes are unread', () => {
  const since = new WeakMap<ServerResponse, number>();
  const [first, second] = [unread(10), unread(10)];
  closeUnread([first], since, 0);
  closeUnread([first, second], since, 30_000);
  closeUnread([first, second], since, 60_001);
  expect(areClosed([first, second])).toEqual([true, false]);
});
