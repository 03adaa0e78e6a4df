import { type Problem } from '@sluice/messages';

/** An error of a request, as the client sees it. The edge has no other error type. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly status: number,
    readonly problems: readonly Problem[],
    readonly headers: Readonly<Record<string, string>> = {},
    /** Code for programs; undefined when the error is about fields. */
    readonly code?: string,
  ) {
    super(problems.map(({ field, message }) => (field ? `${field}: ${message}` : message)).join('; '));
  }
}

const one = (status: number, code: string, headers?: Record<string, string>): ApiError =>
  new ApiError(status, [{ field: '', message: code }], headers, code);

/** Returns the same error each time: creating one with its stack takes longer than the checks that refuse a request. */
const about = (status: number, code: string): (() => ApiError) => {
  const error = one(status, code);
  return () => error;
};

const tooLargeCode = 'error.request.tooLarge';

const tooLargeBecause = (field: string, message: string): ApiError =>
  new ApiError(
    413,
    [
      { field: '', message: tooLargeCode },
      { field, message },
    ],
    {},
    tooLargeCode,
  );

/** The errors of the API that are not about a field: docs/api.md#errors. */
export const httpError = {
  authorizationFailed: about(401, 'error.sdk.authorization.failed'),
  sourceForbidden: about(403, 'error.sdk.source.forbidden'),
  originForbidden: about(403, 'error.sdk.origin.forbidden'),
  sourceNotFound: about(404, 'error.sdk.source.notFound'),
  tooLarge: about(413, tooLargeCode),
  /** The messages that a request makes are too large together, although its body is not. */
  messagesTooLarge: (maxBytes: number) =>
    tooLargeBecause('', `its messages, each with what the batch adds, have more than ${maxBytes} bytes together`),
  /** Members that a batch adds to each of its items are too large. */
  sharedTooLarge: (field: string, maxBytes: number) =>
    tooLargeBecause(field, `must have at most ${maxBytes} bytes, because each item of the batch gets it`),
  malformed: about(400, 'error.request.malformed'),
  unsupportedMediaType: about(415, 'error.request.unsupportedMediaType'),
  notFound: about(404, 'error.request.notFound'),
  sdkNotBuilt: about(404, 'error.sdk.bundle.notBuilt'),
  methodNotAllowed: (allowed: readonly string[]) =>
    one(405, 'error.request.methodNotAllowed', { allow: allowed.join(', ') }),
  rateLimited: (waitMs: number) =>
    one(429, 'error.request.rateLimited', { 'retry-after': String(Math.ceil(waitMs / 1_000)) }),
  quotaExceeded: (waitMs: number) =>
    one(429, 'error.request.quotaExceeded', { 'retry-after': String(Math.ceil(waitMs / 1_000)) }),
  prefetch: about(403, 'error.request.prefetch'),
  timedOut: about(408, 'error.request.timedOut'),
  expectationFailed: about(417, 'error.request.expectationFailed'),
  headersTooLarge: about(431, 'error.request.headersTooLarge'),
  unavailable: (retryAfterSeconds: number) =>
    one(503, 'error.service.unavailable', { 'retry-after': String(retryAfterSeconds) }),
  internal: about(500, 'error.service.internal'),
};

/** One error with all field problems of a request. */
export const invalidFields = (problems: readonly Problem[]): ApiError => new ApiError(400, problems);
