import { expect, it } from 'vitest';
import { acceptsEncoding } from './accept-encoding.js';

it.each(['br', 'gzip, deflate, br, zstd', 'gzip;q=1.0, BR;q=0.5', 'br;q=0.001', ' br ;level=4'])(
  '%s takes br',
  (text) => expect(acceptsEncoding(text, 'br')).toBe(true),
);

it.each([undefined, '', 'gzip', 'brotli', 'br;q=0', 'br; q=0.000', '*', 'identity', 'xbr, b r'])(
  '%s does not take br',
  (text) => expect(acceptsEncoding(text, 'br')).toBe(false),
);
