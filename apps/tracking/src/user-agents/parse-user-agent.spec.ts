import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { noFacts, parseUserAgent } from './parse-user-agent.js';

const require = createRequire(import.meta.url);
const readJson = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
/** 10,000 visits of people, from a public list. */
const ofPeople = readJson(join(dirname(require.resolve('user-agents')), 'user-agents.json')) as {
  userAgent: string;
  deviceCategory: string;
}[];
/** Over 2,000 user agents of bots. */
const ofBots = (
  readJson(join(dirname(require.resolve('crawler-user-agents')), 'crawler-user-agents.json')) as {
    instances: string[];
  }[]
).flatMap(({ instances }) => instances);

it.each([
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36',
    { browser: 'Chrome', browser_major: 130, os: 'Windows', device: 'desktop' },
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
    { browser: 'Safari', browser_major: 18, os: 'iOS', device: 'mobile' },
  ],
  [
    'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    { device: 'bot', is_bot: true, bot_name: 'Googlebot' },
  ],
  ['AhrefsBot/7.0', { device: 'bot', is_bot: true, bot_name: 'AhrefsBot' }],
  ['curl/8.11.0', { device: 'bot', is_bot: true, bot_name: 'curl' }],
  // Apps send with the libraries of their system: their users are not bots.
  ['okhttp/4.12.0', { os: 'Android', device: 'mobile' }],
  ['Dalvik/2.1.0 (Linux; U; Android 14; Pixel 8 Build/UQ1A)', { os: 'Android', device: 'mobile' }],
  ['Shop/12 CFNetwork/1568.200.51 Darwin/24.1.0', { os: 'iOS', device: 'mobile' }],
] as const)('%s', (text, facts) => expect(parseUserAgent(text)).toEqual({ ...noFacts, ...facts }));

it.each(['\u0001\u0002', '<script>alert(1)</script>', 'x'.repeat(256), '('.repeat(256), ' ', '/', '🌹'.repeat(256)])(
  'a text such as %j has an answer',
  (text) => expect(Object.keys(parseUserAgent(text))).toEqual(Object.keys(noFacts)),
);

it('people of a public list are not bots, and nearly all have a browser, a system and a device', () => {
  expect(ofPeople).toHaveLength(10_000);
  const facts = ofPeople.map(({ userAgent }) => parseUserAgent(userAgent.slice(0, 256)));
  const share = (isIt: (agentFacts: (typeof facts)[number]) => boolean): number =>
    facts.filter(isIt).length / facts.length;
  expect(share(({ is_bot }) => is_bot)).toBeLessThan(0.002);
  expect(share(({ browser, browser_major }) => browser !== '' && browser_major > 0)).toBeGreaterThan(0.97);
  expect(share(({ os }) => os !== '')).toBeGreaterThan(0.99);
  expect(share(({ device }) => device !== '')).toBeGreaterThan(0.99);
  const asListed = ofPeople.filter(({ deviceCategory }, i) => deviceCategory === facts[i]?.device).length;
  expect(asListed / ofPeople.length).toBeGreaterThan(0.95);
});

it('bots of a public list are bots with a name', () => {
  const facts = ofBots.map((text) => parseUserAgent(text.slice(0, 256)));
  expect(facts.length).toBeGreaterThan(2_000);
  const bots = facts.filter(({ is_bot }) => is_bot);
  expect(bots.length / facts.length).toBeGreaterThan(0.95);
  expect(bots.filter(({ bot_name }) => bot_name !== '').length / bots.length).toBeGreaterThan(0.98);
});
