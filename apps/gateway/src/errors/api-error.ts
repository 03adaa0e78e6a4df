/** One thing that is wrong with a request: an entry of docs/api.md#errors. */
export interface Problem {
  /** Path of the field: `event`, `list[3].userId`; empty when it is not about a field. */
  field: string;
  message: string;
}

/** A refusal of a request, as the client will see it. The one error type of the edge. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly status: number,
    readonly problems: readonly Problem[],
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(problems.map(({ field, message }) => (field ? `${field}: ${message}` : message)).join('; '));
  }
}

const one = (status: number, message: string, headers?: Record<string, string>): ApiError =>
  new ApiError(status, [{ field: '', message }], headers);

/** Always the same error: making one with its stack takes longer than the checks that refuse a request. */
const about = (status: number, message: string): (() => ApiError) => {
  const error = one(status, message);
  return () => error;
};

/** The refusals that are not about a field: docs/api.md#errors. */
export const refusal = {
  authorizationFailed: about(401, 'error.sdk.authorization.failed'),
  sourceForbidden: about(403, 'error.sdk.source.forbidden'),
  originForbidden: about(403, 'error.sdk.origin.forbidden'),
  sourceNotFound: about(404, 'error.sdk.source.notFound'),
  tooLarge: about(413, 'error.request.tooLarge'),
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

/** Field problems, all of one request together. */
export const invalidFields = (problems: readonly Problem[]): ApiError => new ApiError(400, problems);
