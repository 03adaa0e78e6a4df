import { hash, randomBytes } from 'node:crypto';
import { type Role } from '@sluice/console-api';
import { OperationError } from '../operation-error.js';
import { type ConsoleState } from './console-state.js';
import { type ConsoleWriter } from './console-writer.js';
import { type UserRecord } from './records.js';

/** Time for which a one-time link works. */
export const linkMinutes = 15;
const userPattern = /^[A-Za-z0-9_.@-]{1,64}$/;

export interface UserToCreate {
  id: string;
  name: string;
  role: Role;
  payloads: boolean;
}

/** @throws OperationError when the id is malformed, or taken. */
export async function createUser(state: ConsoleState, writer: ConsoleWriter, asked: UserToCreate): Promise<UserRecord> {
  if (!userPattern.test(asked.id)) {
    throw new OperationError('the name of a user has 1 to 64 characters of A-Z a-z 0-9 _ . @ -');
  }
  if (state.get('user', asked.id)) throw new OperationError(`there is a user ${asked.id} already`);
  const { id, name, role, payloads } = asked;
  const user: UserRecord = {
    ...{ id, name: name.slice(0, 100), role, payloads },
    ...{ origin: 'local', isDisabled: false, createdAt: new Date().toISOString(), notBefore: 0 },
  };
  await writer.put('user', id, user);
  return user;
}

/** Makes a one-time link for a user. The secret stands behind `#`, so that no log of a server has it. */
export async function createLink(writer: ConsoleWriter, user: string, consoleUrl: string): Promise<string> {
  const secret = randomBytes(32).toString('base64url');
  const hashed = hash('sha256', secret);
  await writer.put('link', hashed, { hash: hashed, user, expiresAt: Date.now() + linkMinutes * 60_000 });
  return `${consoleUrl.replace(/\/$/, '')}/login#${secret}`;
}

/** Takes a link: it works no more. Returns the user, or undefined when the link is unknown, used or expired. */
export async function takeLink(
  state: ConsoleState,
  writer: ConsoleWriter,
  secret: string,
): Promise<string | undefined> {
  const hashed = hash('sha256', secret);
  const link = state.get('link', hashed);
  if (!link) return undefined;
  await writer.put('link', hashed, null);
  return link.expiresAt > Date.now() ? link.user : undefined;
}
