import { expect, it } from 'vitest';
import { errorCode } from './error-code.js';

it.each([
  [
    'the type of a server error',
    Object.assign(new Error('row: secret'), { code: '252', type: 'TOO_MANY_PARTS' }),
    'TOO_MANY_PARTS',
  ],
  ['the code of a system error', Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
  [
    'the code of the cause',
    new Error('not published', { cause: Object.assign(new Error(''), { code: 'EPIPE' }) }),
    'EPIPE',
  ],
  ['the name of an error without a code', new TypeError('secret'), 'TypeError'],
  [
    'the name of an error whose code is a sentence',
    Object.assign(new Error(''), { code: 'a secret, quoted' }),
    'Error',
  ],
  ['"unknown" when there is no error', undefined, 'unknown'],
])('is %s', (_, error, code) => expect(errorCode(error)).toBe(code));
