import { createApiKey } from '@sluice/sources';
import { expect, it } from 'vitest';
import { maskKeys, maskWriteKeys } from './mask-keys.js';

const [source, apiKey] = ['AbCdEf123456', createApiKey()];
const writeKey = `${source}_${apiKey}`;
const basicOf = (credentials: string): string => `Basic ${Buffer.from(credentials).toString('base64')}`;

it.each([
  [`{"writeKey":"${writeKey}","userId":"u"}`],
  [`{"writeKey" : "${apiKey}","userId":"u"}`],
  [`{"context":{"headers":{"authorization":"${basicOf(`${writeKey}:`)}"}},"userId":"u"}`],
  [`{"authorization":"${basicOf(`${source}:${apiKey}`)}","userId":"u"}`],
  [JSON.stringify({ userId: 'u', body: JSON.stringify({ writeKey }) })],
  [`{"userId":"u","writeKey":"${writeKey.slice(0, 30)}`],
])('leaves no key in %s, and all the rest', (text) => {
  const masked = maskWriteKeys(text);
  for (const key of [apiKey, apiKey.slice(0, 17), Buffer.from(apiKey).toString('base64').slice(4, 40)])
    expect(masked).not.toContain(key);
  expect(masked).toContain('"userId":"u"');
  if (text.endsWith('}')) expect(() => JSON.parse(masked) as unknown).not.toThrow();
});

it.each([
  [`/api/tracker/sdk/${source}/${apiKey}`],
  [`/v1/${apiKey}/track`],
  [`/s/${source}:${apiKey}/v1/t`],
  [`/s/${writeKey}/t`],
  [`{"userId":"u","token":"Bearer ${apiKey}"}`],
])('shows no key of %s', (text) => expect(maskKeys(text)).not.toContain(apiKey));

it('changes nothing else of what may be sent again', () => {
  const [hash, long] = [createApiKey(), 'x'.repeat(5_000)];
  for (const text of [`{"traits":{"email":"${hash}"}}`, `{"a":"${long}"}`, `/v1/projects/${'a'.repeat(44)}`, 'سلام'])
    expect(maskWriteKeys(text)).toBe(text);
  expect(maskKeys(`{"a":"${long}"}`)).toBe(`{"a":"${long}"}`);
});
