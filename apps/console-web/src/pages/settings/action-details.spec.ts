import { expect, it } from 'vitest';
import { detailsText } from './action-details';

it.each([
  ['{}', ''],
  [
    '{"type":"web-sdk","origins":["https://a.example","https://b.example"]}',
    'type: web-sdk · origins: https://a.example, https://b.example',
  ],
  ['{"ratePerSecond":50,"dailyQuota":null}', 'ratePerSecond: 50 · dailyQuota: none'],
  [
    '{"before":{"role":"viewer","payloads":false},"after":{"role":"editor","payloads":true}}',
    'role: viewer → editor · payloads: no → yes',
  ],
  ['{"before":"x","after":{"y":1}}', 'before: x · after: {"y":1}'],
  ['no JSON', 'no JSON'],
  ['[1]', '[1]'],
])('shows %s', (json, text) => expect(detailsText(json)).toBe(text));
