import { isIPv6 } from 'node:net';
import { type ValuePattern } from '@sluice/console-api';
import { isIban } from './iban.js';

export const valuePatterns: readonly ValuePattern[] = ['token', 'email', 'iban', 'card', 'ip', 'phone'];

/** Makes the replacement for a part of a text. */
export type Replace = (kind: ValuePattern | 'query', match: string) => string;

/* Each part of an expression is bounded, or begins where the one before ended, so that they take linear time. */
const word = /[^\s"'<>]+/g;
const ownQuery = /^(\/[^\s?#]{0,2000})?([?#].+)$/s;
const email = /[\p{L}\p{N}._%+'-]{1,64}(?:@|%40|\(at\)|\[at\])[\p{L}\p{N}.-]{1,253}\.\p{L}{2,24}/giu;
const digits = String.raw`\d\u06f0-\u06f9\u0660-\u0669`;
const phone = new RegExp(
  String.raw`(?<![\p{L}\p{N}_.-])(?:\+|\()?[${digits}](?:[ ()./\u00a0-]{0,2}[${digits}]){7,15}(?![\p{L}\p{N}_]|-[\p{L}\p{N}])`,
  'gu',
);
const card = new RegExp(
  String.raw`(?<![\p{L}\p{N}_-])[2-6\u06f2-\u06f6\u0662-\u0666](?:[ -]?[${digits}]){13,18}(?![\p{L}\p{N}_]|-[\p{L}\p{N}])`,
  'gu',
);
/** A country code, check digits and 11 to 30 more characters, like an IBAN. Does not match inside a UUID. */
const iban = new RegExp(
  String.raw`(?<![\p{L}\p{N}]|[\da-f]-)[A-Z]{2}[ -]?[${digits}]{2}(?:[ -]?[A-Z${digits}]){11,30}`,
  'giu',
);
const octet = String.raw`(?:25[0-5]|2[0-4]\d|1?\d?\d)`;
/** Four numbers up to 255; not those of a longer version, nor of a product (`Chrome/120.0.0.0`). */
const ipv4 = new RegExp(
  String.raw`(?<![\p{L}\p{N}_]|\d\.|(?:^|[\s(;])\p{Lu}[\w.-]{0,30}\/)${octet}(?:\.${octet}){3}(?![\p{L}\p{N}_]|\.\d|-\p{L})`,
  'gu',
);
const ipv6 = new RegExp(
  String.raw`(?<![\p{L}\p{N}_:.])[\da-f:]{2,40}(?:${octet}(?:\.${octet}){3})?(?:%25)?(?:%\w{1,16})?(?![\p{L}\p{N}_:]|\.\d)`,
  'giu',
);
/** A JSON Web Token, signed or encrypted: its header begins with `{"`. */
const jwt = /(?<![\w-])eyJ[\w-]{8,}\.[\w-]*(?:\.[\w-]*){1,3}/g;
const bearer = /(?<![\p{L}\p{N}_])bearer(?:[\s:+]{1,4}|%20)[\w.~+/=-]{6,}/giu;
const basic = /(?<![\p{L}\p{N}_])basic(?:[\s:+]{1,4}|%20)[\w+/-]{4,}={0,2}/giu;
/** A key of a source, 256 bits as base64url, alone or behind its source. A hash can have the same form. */
const sourceKey = /(?<![A-Za-z0-9_-])(?:[A-Za-z0-9]{12}[_:])?[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/g;
/** Cheap test for characters without which nothing is replaced; most texts have none. */
const suspicious = new RegExp(
  String.raw`@|%40|[(\[]at[)\]]|[?#]|[${digits}].?.?[${digits}].?.?[${digits}]|::|[\da-f]:[\da-f]|eyJ|bearer|basic|[\w-]{43}`,
  'siu',
);

/** Replaces values of these kinds in a text, and the queries of its URLs. */
export function replaceValues(text: string, patterns: ReadonlySet<ValuePattern>, replace: Replace): string {
  if (!suspicious.test(text)) return text;
  let result = text
    .replace(word, (match) => withoutQuery(match, replace))
    .replace(ownQuery, (_, start: string | undefined, query: string) => `${start ?? ''}${replace('query', query)}`);
  for (const [kind, expression, isOfKind] of kinds) {
    if (!patterns.has(kind)) continue;
    result = result.replace(expression, (match) => {
      const part = isOfKind(match);
      return part === '' ? match : `${replace(kind, part)}${match.slice(part.length)}`;
    });
  }
  return result;
}

/** The beginning of a match that is of its kind; empty if nothing of it is. */
type Check = (match: string) => string;
const all: Check = (match) => match;
const when =
  (isOfKind: (match: string) => boolean): Check =>
  (match) =>
    isOfKind(match) ? match : '';

/** In the order in which they are replaced: what is replaced is not looked at again. */
const kinds: readonly (readonly [ValuePattern, RegExp, Check])[] = [
  ['token', jwt, all],
  ['token', bearer, when(isBearer)],
  ['token', basic, when(isBasic)],
  ['token', sourceKey, all],
  ['email', email, all],
  ['iban', iban, readIban],
  ['card', card, when(isCard)],
  ['ip', ipv6, when(isAddress)],
  ['ip', ipv4, all],
  ['phone', phone, when(isPhone)],
];

/** A URL of any length is read once; an expression would begin again at each `://`. */
function withoutQuery(text: string, replace: Replace): string {
  const address = text.indexOf('://');
  if (address < 0) return text;
  const start = text.slice(address).search(/[?#]/);
  const queryStart = address + start;
  return start < 0 || queryStart === text.length - 1
    ? text
    : `${text.slice(0, queryStart)}${replace('query', text.slice(queryStart))}`;
}

/** Replaces Persian and Arabic digits by those of ASCII. */
const plain = (text: string): string =>
  text.replace(/[\u06f0-\u06f9\u0660-\u0669]/g, (digit) => String((digit.codePointAt(0) ?? 0) & 0xf));

function isPhone(match: string): boolean {
  const text = plain(match).trim();
  const number = text.replace(/[^\d]/g, '');
  if (text.startsWith('+') || number.startsWith('00')) return number.length >= 8 && number.length <= 17;
  if (text.includes('.') && !/^\(?\d{3}\)?[.]\d{3}[.]\d{4}$/.test(text)) return false;
  if (number.startsWith('0')) return number.length === 10 || number.length === 11;
  // National numbers without their zero, and the usual grouping of North America.
  return /^(?:98)?9\d{9}$/.test(number) || /^\(?\d{3}\)?[ .-]{1,2}\d{3}[ .-]\d{4}$/.test(text);
}

/** Whether the digits have the length and the check digit of a payment card (ISO/IEC 7812). */
function isCard(match: string): boolean {
  const number = plain(match).replace(/\D/g, '');
  // Cards of 14 digits are of Diners Club only; other numbers of 14 digits are mostly times.
  if (number.length === 14 ? !/^3[0689]/.test(number) : ![15, 16, 18, 19].includes(number.length)) return false;
  const sum = Array.from(number).reduceRight((total, digit, index) => {
    const value = Number(digit) * ((number.length - index) % 2 === 0 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

/** The IBAN with which the match begins: as many characters as its country has, and no letter or digit behind them. */
function readIban(match: string): string {
  for (let end = match.length; end > 0; end -= 1) {
    const part = match.slice(0, end);
    if (/[\p{L}\p{N}]$/u.test(part) && !/^[\p{L}\p{N}]/u.test(match.slice(end)) && isIban(plain(part))) return part;
  }
  return '';
}

function isAddress(match: string): boolean {
  return /[\da-f]/i.test(match) && isIPv6(match.replace(/%.*$/s, ''));
}

/** Sentences have the word too: what follows it must not be a mere word. */
function isBearer(match: string): boolean {
  const [, token = ''] = /^bearer(?:[\s:+]+|%20)(.*)$/is.exec(match) ?? [];
  return token.length >= 20 || /[\d._~+/=-]./.test(token) || /\p{Ll}\p{Lu}/u.test(token);
}

/** Whether the credentials have a user and a password (RFC 7617). */
function isBasic(match: string): boolean {
  const [, credentials = ''] = /^basic(?:[\s:+]+|%20)(.*)$/is.exec(match) ?? [];
  const text = Buffer.from(credentials, 'base64').toString('latin1');
  return /^[\x20-\x7e\x80-\xff]*:/.test(text);
}
