import bowser from 'bowser';
import { isbot, isbotMatch } from 'isbot';

/**
 * Version of the answers. They replace those of earlier versions. Raise it with every change of this file, and with
 * every new version of the libraries.
 */
export const parserVersion = 1;

/** Facts that a user agent states about its client. An empty text, or 0, means that it states none. */
export interface UserAgentFacts {
  browser: string;
  browser_major: number;
  os: string;
  device: '' | 'desktop' | 'mobile' | 'tablet' | 'tv' | 'bot';
  is_bot: boolean;
  bot_name: string;
}

export type ParseUserAgent = (text: string) => UserAgentFacts;

export const noFacts: UserAgentFacts = {
  browser: '',
  browser_major: 0,
  os: '',
  device: '',
  is_bot: false,
  bot_name: '',
};

/** HTTP libraries with which apps on phones send events. Lists of bots have them, because no page is read with them. */
const appLibraries: readonly { pattern: RegExp; os: string }[] = [
  { pattern: /^Dalvik\/.*; Android /, os: 'Android' },
  { pattern: /^okhttp\/[\d.]+$/, os: 'Android' },
  { pattern: /^[^()]{0,128} CFNetwork\/[\d.]+ Darwin\/[\d.]+/, os: 'iOS' },
];
const devices: ReadonlySet<string> = new Set(['desktop', 'mobile', 'tablet', 'tv', 'bot']);
const maxNameLength = 64;

/** Parses with `bowser`, and `isbot` for bots. May throw what a library throws. */
export function parseUserAgent(text: string): UserAgentFacts {
  const app = appLibraries.find(({ pattern }) => pattern.test(text));
  if (app) return { ...noFacts, os: app.os, device: 'mobile' };
  const { browser, os, platform } = bowser.parse(text);
  const isBot = platform.type === 'bot' || isbot(text);
  return {
    browser: isBot ? '' : limitName(browser.name),
    browser_major: isBot ? 0 : parseMajor(browser.version),
    os: limitName(os.name),
    device: isBot ? 'bot' : toDevice(platform.type),
    is_bot: isBot,
    bot_name: isBot ? findBotName(text, platform.type === 'bot' ? browser.name : undefined) : '',
  };
}

const limitName = (name: string | undefined): string => (name ?? '').slice(0, maxNameLength);

const toDevice = (type: string | undefined): UserAgentFacts['device'] =>
  devices.has(type ?? '') ? (type as UserAgentFacts['device']) : '';

/** The major version; 0 if there is none, or if the 16 bits of its column cannot hold it. */
function parseMajor(version: string | undefined): number {
  const major = Number.parseInt(version ?? '', 10);
  return major > 0 && major < 65_536 ? major : 0;
}

/** The name that `bowser` knows, or the word by which `isbot` found it, without its version. */
function findBotName(text: string, bowserName: string | undefined): string {
  if (bowserName) return limitName(bowserName);
  const [word = ''] = /[A-Za-z][A-Za-z0-9 ._-]*/.exec(isbotMatch(text) ?? '') ?? [];
  return limitName(word.trim());
}
