import { type FreeForm } from '@sluice/contracts';

/** A field of messages that a rule can name: a member of a message, and names below it. */
export interface RuledField {
  readonly bag: 'properties' | 'traits' | 'context';
  readonly below: readonly string[];
}

/** Parts of the fields of tests: few names, so that rules and fields meet often. */
export const ruledBags: readonly RuledField['bag'][] = ['properties', 'traits', 'context'];
export const ruledNames: readonly string[] = ['email', 'card', 'a'];
export const maxRuledNames = 3;

/** The path of the field, as a rule names it. */
export const pathOfField = ({ bag, below }: RuledField): string => [bag, ...below].join('.');

/** Forms in which clients write a path: nested, with dots, or through lists. */
export const fieldForms = ['nested', 'dotted', 'listed'] as const;
export type FieldForm = (typeof fieldForms)[number];

/** A message with the secret in every member that may become the field. */
export function messageWith({ bag, below }: RuledField, form: FieldForm, secret: string): FreeForm {
  const [first = '', ...rest] = below;
  const value = form === 'listed' ? { [first]: nestSecret(rest, form, secret) } : nestSecret(below, form, secret);
  const ids = { userId: 'u', event: 'e' };
  if (bag === 'context') return { ...ids, context: value };
  if (bag === 'properties') return { ...ids, properties: value };
  return { ...ids, traits: value, context: { traits: value } };
}

function nestSecret(below: readonly string[], form: FieldForm, secret: string): unknown {
  const [first, ...rest] = below;
  if (first === undefined) return form === 'listed' ? [secret, [secret]] : secret;
  if (form === 'dotted') return { [below.join('.')]: secret };
  const value = { [first]: nestSecret(rest, form, secret), other: 1 };
  return form === 'listed' ? [value] : value;
}

/** A body of one message, and what its batch says for all its messages. */
export interface WrappedMessage {
  readonly body: FreeForm;
  readonly batch?: FreeForm;
}

/** The shapes in which a message may come; most of them are refused. */
export const messageWrappings: Readonly<Record<string, (message: FreeForm) => WrappedMessage>> = {
  none: (body) => ({ body }),
  list: (message) => ({ body: { list: [message] } }),
  events: (message) => ({ body: { events: { 0: message } } }),
  message: (message) => ({ body: { userId: 'u', event: 'e', message } }),
  text: (message) => ({
    body: {
      userId: 'u',
      event: 'e',
      properties: { more: 1 },
      traits: JSON.stringify(message),
      body: JSON.stringify(message),
    },
  }),
  'batch context': ({ context, ...body }) => ({ body, batch: { context } }),
};
