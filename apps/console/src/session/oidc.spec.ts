import { expect, it } from 'vitest';
import { parseRoles } from './oidc.js';

it('reads the role of each group', () =>
  expect(parseRoles('platform=admin+payloads; dpo=viewer + privacy + payloads; a=b=editor;*=viewer')).toEqual(
    new Map([
      ['platform', { role: 'admin', payloads: true, privacy: false }],
      ['dpo', { role: 'viewer', payloads: true, privacy: true }],
      ['a=b', { role: 'editor', payloads: false, privacy: false }],
      ['*', { role: 'viewer', payloads: false, privacy: false }],
    ]),
  ));

it.each(['platform', 'platform=root', '=admin', 'platform=admin+all'])('refuses %s', (text) =>
  expect(() => parseRoles(text)).toThrow('OIDC_ROLES: must be like'),
);
