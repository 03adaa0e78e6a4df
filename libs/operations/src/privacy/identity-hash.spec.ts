import { expect, it } from 'vitest';
import { identityHash } from './identity-hash.js';

it.each([
  ['user', 'u7', 14645309161588054991n],
  ['anonymous', 'a6', 15677525649005431957n],
  ['user', '', 4281779403968675198n],
  ['user', 'Zoë-12345678901234567890', 13112884563552981127n],
])('is what ClickHouse makes of sipHash64(%j, %j)', (kind, id, hash) => expect(identityHash(kind, id)).toBe(hash));
