import { type ApiError } from './api-error.js';

/** Sentences for the codes of errors that say no more about themselves. */
const sentences: Readonly<Record<string, string>> = {
  'error.sdk.origin.forbidden': 'the source does not accept pages of this origin: add it to its origins',
  'error.sdk.source.notFound': 'no enabled source has the identifier of this write key',
  'error.request.malformed': 'the request is not valid HTTP',
  'error.request.notFound': 'no such path: calls go to /v1/<call>, as docs/segment.md lists them',
  'error.request.methodNotAllowed': 'calls are sent by POST',
  'error.request.timedOut': 'the request took too long to arrive: send it again',
  'error.request.tooLarge': 'the body is too large: send less at once',
  'error.request.unsupportedMediaType': 'the Content-Encoding is none of gzip, deflate, br and zstd',
  'error.request.expectationFailed': 'leave out the header Expect',
  'error.request.rateLimited': 'the source is over its rate: wait as Retry-After says',
  'error.request.quotaExceeded': 'the source has used up its events or its people of the day: wait as Retry-After says',
  'error.request.headersTooLarge': 'send fewer headers',
  'error.service.unavailable': 'it cannot be taken now: wait as Retry-After says',
  'error.service.internal': 'a defect of Sluice: send it again, and report the X-Request-Id',
};

/** Describes the error in words, without its code. */
function describeError({ code, hint, problems, message }: ApiError): string {
  if (code === undefined) return message;
  const words = problems.slice(1).map(({ field, message: text }) => (field === '' ? text : `${field}: ${text}`));
  return hint ?? (words.length > 0 ? words.join('; ') : (sentences[code] ?? code));
}

/**
 * An error as clients of Segment expect it: an object, because some retry after any other body, and 429 in place of
 * 503, because they obey `Retry-After` on no other status. They show people its message.
 */
export const toSegmentError = (error: ApiError) => ({
  status: error.status === 503 ? 429 : error.status,
  body: { code: error.code ?? 'invalid_fields', message: describeError(error) },
});
