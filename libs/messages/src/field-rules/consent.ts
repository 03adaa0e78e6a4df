import { type FreeForm, isObject } from '@sluice/contracts';

/** The reason in an answer for a message that is not stored, because its person has not agreed. */
export const withoutConsent = 'does not grant what the source requires: the message is not stored';

/** Field that an answer names for such a message. */
export const consentField = 'context.consent';

/**
 * Whether the context of a message grants a purpose: it is `true` in `consent.categoryPreferences` (Segment's clients)
 * or in `consent` itself, or, if neither names it, is in `consentManagement.allowedConsentIds` (RudderStack's).
 */
export function grants(context: FreeForm | null | undefined, purpose: string): boolean {
  const consent = memberOf(context, 'consent');
  const said = memberOf(memberOf(consent, 'categoryPreferences'), purpose) ?? memberOf(consent, purpose);
  if (said !== undefined && said !== null) return said === true;
  const allowed = memberOf(memberOf(context, 'consentManagement'), 'allowedConsentIds');
  return Array.isArray(allowed) && allowed.includes(purpose);
}

const memberOf = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
