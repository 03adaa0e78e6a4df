import { sourceIdentifierPattern } from '@sluice/contracts';

/** Parameters of the endpoints of a source. */

export const sourceParameter = {
  name: 'sourceIdentifier',
  in: 'path' as const,
  required: true,
  description: 'Public handle of the source.',
  schema: { type: 'string' as const, pattern: sourceIdentifierPattern.source },
};

export const writeKeyParameter = {
  name: 'writeKey',
  in: 'path' as const,
  required: true,
  description: 'Write key of the source: its handle, `_`, and its key.',
  schema: { type: 'string' as const },
};

export const validateParameter = {
  name: 'validate',
  in: 'query' as const,
  description: 'With `only`, the request is answered as usual, but nothing is stored.',
  schema: { type: 'string' as const, enum: ['only'] },
};

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header' as const,
  description: 'Your name for this request, 1 to 255 characters. Repeating it with the same body stores nothing twice.',
  schema: { type: 'string' as const, minLength: 1, maxLength: 255, pattern: '\\S' },
};

const lenient = '`handling=lenient` takes the valid items of a batch and names the refused ones in `rejected`.';
const sentAt =
  "`sent-at=<milliseconds since 1970>` is the client's time when it sends the request, stored as `context.sent_at`.";

/** Preferences of a client (RFC 7240). */
const prefer = (description: string) => ({
  name: 'Prefer',
  in: 'header' as const,
  description,
  schema: { type: 'string' as const },
});

/** @param hasContext whether the messages have a context, which takes the time of sending */
export const headerParameters = (batch: boolean, hasContext: boolean) => {
  const preferences = [...(batch ? [lenient] : []), ...(hasContext ? [sentAt] : [])];
  return preferences.length > 0 ? [idempotencyKey, prefer(preferences.join(' '))] : [idempotencyKey];
};
