import { expect, it } from 'vitest';
import { isOwnPath } from './own-path.js';

const isOwn = (text: string): boolean => isOwnPath('https://console.example', text);

it('takes paths of the console', () =>
  expect(['/', '/live?source=Ab3&event=a%20b', '/requests/1#x', '/فروشگاه'].filter((text) => !isOwn(text))).toEqual(
    [],
  ));

it('refuses what a browser may read as another site', () => {
  const foreign = [
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '/\n/evil',
    'https://evil.example',
    '',
    'live',
  ];
  expect(foreign.filter(isOwn)).toEqual([]);
});
