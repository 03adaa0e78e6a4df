/** Treatments of the value of a field before a message is stored: docs/api.md#field-rules-and-consent. */
export const fieldRules = ['drop', 'truncate', 'hash'] as const;
export type FieldRule = (typeof fieldRules)[number];

/** Rules by the path of their field, such as `context.ip`. */
export type FieldRuleSet = Readonly<Record<string, FieldRule>>;

/** Upper bound of the rules of a source. */
export const maxFieldRules = 100;

const maxPathLength = 256;
const pathPattern = /^(?:properties|traits|context)(?:\.[^.\p{Cc}]{1,64}){1,8}$/u;
const purposePattern = /^[^\p{Cc}]{1,64}$/u;

/** Whether a rule may name the path: a bag of the message and the names of members below it, with dots between. */
export const isFieldPath = (path: string): boolean =>
  path.length <= maxPathLength && path.isWellFormed() && pathPattern.test(path);

/** Whether the text is a rule. */
export const isFieldRule = (rule: unknown): rule is FieldRule => fieldRules.some((fieldRule) => fieldRule === rule);

/** Whether the text may name the purpose that a source requires consent for. */
export const isPurpose = (text: string): boolean =>
  text.isWellFormed() && text.trim() === text && purposePattern.test(text);
