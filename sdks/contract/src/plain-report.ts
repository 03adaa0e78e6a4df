import { type SluiceError } from '@sluice/sdk-core';

/** A report as vectors have it: without its text. */
export const plainReport = ({ code, count, requestId }: SluiceError) => ({
  code,
  ...(count !== undefined && { count }),
  ...(requestId !== undefined && { requestId }),
});
