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

const prefer = {
  name: 'Prefer',
  in: 'header' as const,
  description:
    '`handling=lenient` takes the valid items of a batch and names the refused ones in `rejected` (RFC 7240).',
  schema: { type: 'string' as const },
};

export const headerParameters = (batch: boolean) => (batch ? [idempotencyKey, prefer] : [idempotencyKey]);
