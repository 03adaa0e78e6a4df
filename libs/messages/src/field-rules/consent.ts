import { type FreeForm, isObject } from '@sluice/contracts';

/** The reason in an answer for a message that is not stored, because its person has not agreed. */
export const withoutConsent = 'does not grant what the source requires: the message is not stored';

/** Field that the answer names for a message without consent. */
export const consentField = 'context.consent';

/**
 * Whether the context of a message grants a purpose: it is `true` in `consent.categoryPreferences` (Segment's clients)
 * or in `consent` itself, or, if neither names it, is in `consentManagement.allowedConsentIds` (RudderStack's).
 */
export function grantsPurpose(context: FreeForm | null | undefined, purpose: string): boolean {
  const consent = readMember(context, 'consent');
  const preference = readMember(readMember(consent, 'categoryPreferences'), purpose) ?? readMember(consent, purpose);
  if (preference !== undefined && preference !== null) return preference === true;
  const allowedIds = readMember(readMember(context, 'consentManagement'), 'allowedConsentIds');
  return Array.isArray(allowedIds) && allowedIds.includes(purpose);
}

const readMember = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
