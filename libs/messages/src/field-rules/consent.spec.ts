import { expect, it } from 'vitest';
import { grantsPurpose } from './consent.js';

it.each([
  ['as clients of Segment send it', { consent: { categoryPreferences: { Analytics: true, Advertising: false } } }],
  ['in short', { consent: { Analytics: true } }],
  ['as clients of RudderStack send it', { consentManagement: { allowedConsentIds: ['x', 'Analytics'] } }],
])('consent is found %s', (_, context) => expect(grantsPurpose(context, 'Analytics')).toBe(true));

it.each([
  ['nothing', undefined],
  ['null', null],
  ['no consent', { locale: 'de' }],
  ['another purpose', { consent: { categoryPreferences: { Advertising: true } } }],
  ['a denial', { consent: { categoryPreferences: { Analytics: false } } }],
  ['a text', { consent: { categoryPreferences: { Analytics: 'true' } } }],
  ['a name in another case', { consent: { categoryPreferences: { analytics: true } } }],
  ['consent that is not an object', { consent: true }],
  [
    'a denial next to a list',
    { consent: { Analytics: false }, consentManagement: { allowedConsentIds: ['Analytics'] } },
  ],
  ['a text in place of a list', { consentManagement: { allowedConsentIds: 'Analytics' } }],
])('%s grants nothing', (_, context) => expect(grantsPurpose(context, 'Analytics')).toBe(false));

it('members of the prototype grant nothing', () => {
  for (const purpose of ['constructor', '__proto__', 'toString'])
    expect(grantsPurpose({ consent: { categoryPreferences: {} } }, purpose)).toBe(false);
});
