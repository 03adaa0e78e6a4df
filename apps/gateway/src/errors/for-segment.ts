import { type ApiError } from './api-error.js';

/**
 * An error as clients of Segment expect it: an object, because some retry after any other body, and 429 in place of
 * 503, because they obey `Retry-After` on no other status.
 */
export const forSegment = ({ status, code = 'invalid_fields', message }: ApiError) => ({
  status: status === 503 ? 429 : status,
  body: { code, message },
});
