import { LockedError } from './queue-lock.js';

// Result codes of SQLite (sqlite.org/rescode.html); each is the low byte of an extended code.
const busy = 5;
const locked = 6;
const corrupt = 11;
const full = 13;
const notADatabase = 26;
/** Extended code of a failed write, also for a reached quota or maximal file size. */
const failedWrite = 778;

const extendedCodeOf = (error: unknown): number => Number((error as { errcode?: unknown }).errcode ?? 0);
const codeOf = (error: unknown): number => extendedCodeOf(error) & 0xff;

/** Whether the queue belongs to a live process. */
export const isLocked = (error: unknown): boolean =>
  error instanceof LockedError || [busy, locked].includes(codeOf(error));

/** Whether SQLite cannot read the file. */
export const isCorrupt = (error: unknown): boolean => [corrupt, notADatabase].includes(codeOf(error));

/** Whether the disk is full, or a quota or the maximal file size is reached. */
export const isFull = (error: unknown): boolean =>
  codeOf(error) === full || ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(String((error as { code?: unknown }).code));

/** Whether more room may help. SQLite reports a full disk as such, but a reached quota only as a failed write. */
export const mayLackRoom = (error: unknown): boolean => isFull(error) || extendedCodeOf(error) === failedWrite;
