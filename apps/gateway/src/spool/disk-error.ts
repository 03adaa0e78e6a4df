/** Whether the disk is full, or a quota or the maximum size of a file is reached. */
export const isFull = (error: unknown): boolean =>
  ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(String((error as { code?: unknown }).code));
