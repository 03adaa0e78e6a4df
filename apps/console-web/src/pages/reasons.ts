/** Sentences for the codes of the gateway, with what to do: docs/api.md, Errors. */
const reasons: Record<string, string> = {
  'error.sdk.authorization.failed':
    'The API key is missing, is not one of this source, or was revoked. Send it as “Authorization: Bearer <key>”; issue another key if it is lost.',
  'error.sdk.source.notFound':
    'No enabled source has the identifier in the path. Copy it from the page of the source, and see that it is enabled.',
  'error.sdk.source.forbidden': 'A source of this type may only track and identify. Use the key of a server’s source.',
  'error.sdk.origin.forbidden':
    'The page that sent it is not among the origins of the source. Add its origin under Limits and origins.',
  'error.request.malformed':
    'The body is no JSON object: look for a comma too many, a quote that is missing, or an encoding other than UTF-8.',
  'error.request.unsupportedMediaType': 'Send “Content-Type: application/json”.',
  'error.request.tooLarge': 'The body is larger than its route allows. Send less at once.',
  'error.request.notFound': 'There is no such path.',
  'error.request.methodNotAllowed': 'The path takes another method; tracking and catalog take POST.',
  'error.request.rateLimited': 'The source is over its rate. Wait as Retry-After says, or raise its limit.',
  'error.request.quotaExceeded':
    'The source has used up its messages of the day. Raise its quota, or wait for tomorrow (UTC).',
  'error.request.timedOut': 'The request did not arrive in time. Send it again.',
  'error.service.unavailable': 'The gateway had no room for it. Send it again after Retry-After.',
  'error.service.internal': 'A defect of Sluice. Send it again, and report the request id.',
};

/** A sentence about a code; undefined for words that need none. */
export const meaningOf = (code: string): string | undefined => reasons[code];
