/** Sentences for the codes of the gateway, with what to do: docs/api.md, Errors. */
const reasons: Record<string, string> = {
  'error.sdk.authorization.failed':
    'It has no valid key of the source in its path. Send one as “Authorization: Bearer <key>”; issue another one if it is lost.',
  'error.sdk.source.notFound':
    'No enabled source has the identifier in the path. Copy it from the source’s page, and check that the source is enabled.',
  'error.sdk.source.forbidden': 'A source of this type may only track and identify. Use the key of a server source.',
  'error.sdk.origin.forbidden':
    'The website that sent it is not among the source’s origins. A sample names it, to be added under Limits and origins.',
  'error.request.invalid': 'The body has values that are missing or not allowed. A sample shows which.',
  'error.request.malformed':
    'The body is not a JSON object. Look for an extra comma, a missing quote, or an encoding other than UTF-8.',
  'error.request.unsupportedMediaType': 'Send “Content-Type: application/json”.',
  'error.request.tooLarge': 'The body is larger than this route allows. Send smaller batches.',
  'error.request.notFound': 'This path does not exist. Check the address that the client sends to.',
  'error.request.methodNotAllowed': 'The method is wrong: tracking and catalog routes accept POST.',
  'error.request.rateLimited': 'The source exceeded its rate limit. Wait for Retry-After, or raise the limit.',
  'error.request.quotaExceeded':
    'The source used up its daily quota of events, or that of people. Raise it, or wait until midnight UTC.',
  'error.request.timedOut': 'The request took too long to arrive. Send it again.',
  'error.service.unavailable': 'The gateway was overloaded. Send it again after Retry-After.',
  'error.service.internal': 'A bug in Sluice. Send it again, and report the request id.',
};

/** The sentence of a group of refusals, for people. */
export function describeRefusalGroup({
  sentence,
  reason,
  fields,
}: {
  sentence?: string;
  reason: string;
  fields: readonly string[];
}): string {
  if (sentence) return sentence;
  if (reason === 'error.request.invalid' && fields.length > 0)
    return `The body has invalid values: ${fields.slice(0, 3).join(', ')}${fields.length > 3 ? ` and ${fields.length - 3} more` : ''}.`;
  return explainCode(reason) ?? reason;
}

/** A sentence about a code; undefined for any other text. */
export const explainCode = (code: string): string | undefined => reasons[code];
