import { LockedError } from './queue-lock.js';

// SQLite's result codes (sqlite.org/rescode.html); the low byte of an extended one.
const busy = 5;
const locked = 6;
const corrupt = 11;
const full = 13;
const notADatabase = 26;
/** Extended: a write that failed, also because a quota or the largest size of a file is reached. */
const failedWrite = 778;

const extendedCodeOf = (error: unknown): number => Number((error as { errcode?: unknown }).errcode ?? 0);
const codeOf = (error: unknown): number => extendedCodeOf(error) & 0xff;

/** The queue belongs to a process that lives. */
export const isLocked = (error: unknown): boolean =>
  error instanceof LockedError || [busy, locked].includes(codeOf(error));

/** SQLite can no longer read what the file holds. */
export const isCorrupt = (error: unknown): boolean => [corrupt, notADatabase].includes(codeOf(error));

/** The disk, or what the file may take of it, is used up. */
export const isFull = (error: unknown): boolean =>
  codeOf(error) === full || ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(String((error as { code?: unknown }).code));

/** Room may help: of a full disk SQLite says so, of a quota it says only that a write failed. */
export const mayLackRoom = (error: unknown): boolean => isFull(error) || extendedCodeOf(error) === failedWrite;
