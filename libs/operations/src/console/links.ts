import { hash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Role } from '@sluice/console-api';
import { OperationError, ServerUnreachableError } from '../operation-error.js';
import { type ConsoleState } from './console-state.js';
import { type ConsoleWriter } from './console-writer.js';
import { type UserRecord } from './records.js';

/** Time for which a one-time link works. */
export const linkMinutes = 15;
/** Records are seen within a second; this leaves time for another reading. */
const timeoutMs = 2_000;
/** Time for the reading to reach the claim that was just written. */
const claimMs = 5_000;
const pollMs = 50;
const userPattern = /^[A-Za-z0-9_.@-]{1,64}$/;

export interface UserToCreate {
  id: string;
  name: string;
  role: Role;
  payloads: boolean;
  privacy?: boolean;
}

/** @throws OperationError when the id is malformed, or taken. */
export async function createUser(
  state: ConsoleState,
  writer: ConsoleWriter,
  newUser: UserToCreate,
): Promise<UserRecord> {
  if (!userPattern.test(newUser.id)) {
    throw new OperationError('the name of a user has 1 to 64 characters of A-Z a-z 0-9 _ . @ -');
  }
  if (state.get('user', newUser.id)) throw new OperationError(`a user ${newUser.id} already exists`);
  const { id, name, role, payloads, privacy = false } = newUser;
  const user: UserRecord = {
    id,
    name: name.slice(0, 100),
    role,
    payloads,
    privacy,
    origin: 'local',
    isDisabled: false,
    createdAt: new Date().toISOString(),
    notBefore: 0,
  };
  await writer.put('user', id, user);
  return user;
}

/** Makes a one-time link for a user. The secret follows `#`, so that no server logs it. */
export async function createLink(writer: ConsoleWriter, user: string, consoleUrl: string): Promise<string> {
  const secret = randomBytes(32).toString('base64url');
  const secretHash = hash('sha256', secret);
  await writer.put('link', secretHash, { hash: secretHash, user, expiresAt: Date.now() + linkMinutes * 60_000 });
  return `${consoleUrl.replace(/\/$/, '')}/login#${secret}`;
}

/**
 * Uses up a link, for all instances. Each use writes its own claim; the lowest offset wins, and all instances read the
 * claims in the same order. An unknown link is waited for: it may have been written elsewhere a moment ago, and a first
 * reading of a new Kafka may begin again.
 * @returns the user, or undefined for an unknown, used or expired link
 * @throws ServerUnreachableError when the order of claims cannot be read
 */
export async function takeLink(
  state: ConsoleState,
  writer: ConsoleWriter,
  secret: string,
): Promise<UserRecord | undefined> {
  const secretHash = hash('sha256', secret);
  const isKnown = (): boolean => state.get('user', state.get('link', secretHash)?.user ?? '') !== undefined;
  await waitUntil(isKnown, timeoutMs);
  if (!isKnown()) return undefined;
  const claim = `${secretHash}.${randomBytes(9).toString('base64url')}`;
  // 1. The claim is durable.
  const offset = await writer.put('claim', claim, { link: secretHash, at: Date.now() });
  try {
    // 2. All claims before it are read.
    await waitUntil(() => state.readUpTo >= offset, claimMs);
    if (state.readUpTo < offset)
      throw new ServerUnreachableError('kafka', 'Kafka does not answer in time. Use the link again.');
    const link = state.get('link', secretHash);
    const user = state.get('user', link?.user ?? '');
    const isFirst = state
      .findOffsets('claim', (record) => record.link === secretHash)
      .every((otherOffset) => otherOffset >= offset);
    if (!link || !user || !isFirst) return undefined;
    const isInTime = link.expiresAt > Date.now();
    if (isInTime) await writer.put('entered', user.id, { user: user.id, at: new Date().toISOString() });
    // 3. The link is removed before its claim: whoever does not see the claim does not see the link either.
    await writer.put('link', secretHash, null);
    return isInTime ? user : undefined;
  } finally {
    await writer.put('claim', claim, null).catch(() => undefined);
  }
}

async function waitUntil(isMet: () => boolean, limitMs: number): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!isMet() && performance.now() < deadline) await sleep(pollMs);
}
