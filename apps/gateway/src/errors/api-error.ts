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
    /** Advice for clients whose errors have room for it: those of Segment. */
    readonly hint?: string,
  ) {
    super(problems.map(({ field, message }) => (field ? `${field}: ${message}` : message)).join('; '));
  }
}

const makeError = (status: number, code: string, headers?: Record<string, string>, hint?: string): ApiError =>
  new ApiError(status, [{ field: '', message: code }], headers, code, hint);

/** Returns the same error each time: creating one with its stack takes longer than the checks that refuse a request. */
const makeFixedError = (status: number, code: string, hint?: string): (() => ApiError) => {
  const error = makeError(status, code, undefined, hint);
  return () => error;
};

const tooLargeCode = 'error.request.tooLarge';
const malformedCode = 'error.request.malformed';

/** An error whose second entry says in words what is wrong. */
const makeExplainedError = (status: number, code: string, field: string, message: string): ApiError =>
  new ApiError(
    status,
    [
      { field: '', message: code },
      { field, message },
    ],
    {},
    code,
  );

const unauthorizedCode = 'error.sdk.authorization.failed';
const writeKeyForm = '<sourceIdentifier>_<apiKey>, as the user of Basic credentials or in the path as /s/<write key>';

const malformed = makeFixedError(400, malformedCode);
const tooLarge = makeFixedError(413, tooLargeCode);

/** The errors of the API that are not about a field: docs/api.md#errors. */
export const httpError = {
  authorizationFailed: makeFixedError(401, unauthorizedCode),
  noWriteKey: makeFixedError(401, unauthorizedCode, `send the write key, ${writeKeyForm}`),
  badWriteKey: makeFixedError(401, unauthorizedCode, `the write key is ${writeKeyForm}: an API key alone is none`),
  strangeWriteKey: makeFixedError(
    401,
    unauthorizedCode,
    'the API key of the write key is not one of the source: was it rotated?',
  ),
  notForSegment: makeFixedError(
    403,
    'error.sdk.source.forbidden',
    'this source takes no clients of Segment: operator sources segment <sourceIdentifier> on',
  ),
  sourceForbidden: makeFixedError(403, 'error.sdk.source.forbidden'),
  originForbidden: makeFixedError(403, 'error.sdk.origin.forbidden'),
  sourceNotFound: makeFixedError(404, 'error.sdk.source.notFound'),
  /** @param sentBytes size of the body, if the client said it before it was cut off */
  tooLarge: (maxBytes?: number, sentBytes?: number) =>
    maxBytes === undefined
      ? tooLarge()
      : makeExplainedError(
          413,
          tooLargeCode,
          '',
          `has ${sentBytes ?? `more than ${maxBytes}`} bytes; at most ${maxBytes} are allowed`,
        ),
  /** The messages that a request makes are too large together, although its body is not. */
  messagesTooLarge: (maxBytes: number) =>
    makeExplainedError(
      413,
      tooLargeCode,
      '',
      `its messages, each with what the batch adds, have more than ${maxBytes} bytes together`,
    ),
  /** Members that a batch adds to each of its items are too large. */
  sharedTooLarge: (field: string, maxBytes: number) =>
    makeExplainedError(
      413,
      tooLargeCode,
      field,
      `must have at most ${maxBytes} bytes, because each item of the batch gets it`,
    ),
  /** @param reason where and what, without values of the body: an error must not show what rules of a source hide */
  malformed: (reason?: string) =>
    reason === undefined ? malformed() : makeExplainedError(400, malformedCode, '', reason),
  unsupportedMediaType: makeFixedError(415, 'error.request.unsupportedMediaType'),
  notFound: makeFixedError(404, 'error.request.notFound'),
  sdkNotBuilt: makeFixedError(404, 'error.sdk.bundle.notBuilt'),
  methodNotAllowed: (allowed: readonly string[]) =>
    makeError(405, 'error.request.methodNotAllowed', { allow: allowed.join(', ') }),
  rateLimited: (waitMs: number) =>
    makeError(429, 'error.request.rateLimited', { 'retry-after': String(Math.ceil(waitMs / 1_000)) }),
  quotaExceeded: (waitMs: number) =>
    makeError(429, 'error.request.quotaExceeded', { 'retry-after': String(Math.ceil(waitMs / 1_000)) }),
  prefetch: makeFixedError(403, 'error.request.prefetch'),
  timedOut: makeFixedError(408, 'error.request.timedOut'),
  expectationFailed: makeFixedError(417, 'error.request.expectationFailed'),
  headersTooLarge: makeFixedError(431, 'error.request.headersTooLarge'),
  unavailable: (retryAfterSeconds: number) =>
    makeError(503, 'error.service.unavailable', { 'retry-after': String(retryAfterSeconds) }),
  internal: makeFixedError(500, 'error.service.internal'),
};

/** One error with all field problems of a request. */
export const invalidFields = (problems: readonly Problem[]): ApiError => new ApiError(400, problems);
