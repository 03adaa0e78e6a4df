import { expect, it } from 'vitest';
import { shownOrigin } from './shown-origin.js';

it.each([
  ['https://Shop.example:8443', 'https://shop.example:8443'],
  ['https://user:secret@shop.example/path?q=1#x', 'https://shop.example'],
  ['http://localhost:3000', 'http://localhost:3000'],
  ['null', ''],
  ['javascript:alert(1)', ''],
  ['https://', ''],
  [`https://${'a'.repeat(300)}.example`, ''],
  [undefined, ''],
])('%s is shown as %s', (sent, shown) => expect(shownOrigin(sent)).toBe(shown));
