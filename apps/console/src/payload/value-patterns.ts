import { type ValuePattern } from '@sluice/console-api';

export const valuePatterns: readonly ValuePattern[] = ['email', 'phone', 'card'];

/** Makes the replacement for a part of a text. */
export type Replace = (kind: ValuePattern | 'query', found: string) => string;

/* All parts of the expressions are bounded, so that they take linear time, whatever a client sent. */
const word = /[^\s"'<>]+/g;
const ownQuery = /^(\/[^\s?#]{0,2000})?([?#].+)$/s;
const email = /[\p{L}\p{N}._%+'-]{1,64}(?:@|%40)[\p{L}\p{N}.-]{1,253}\.\p{L}{2,24}/giu;
const digits = String.raw`\d\u06f0-\u06f9\u0660-\u0669`;
const phone = new RegExp(
  String.raw`(?<![\p{L}\p{N}_.-])(?:\+|\()?[${digits}](?:[ ()./\u00a0-]{0,2}[${digits}]){7,15}(?![\p{L}\p{N}_]|-[\p{L}\p{N}])`,
  'gu',
);
const card = new RegExp(
  String.raw`(?<![\p{L}\p{N}_-])[2-6\u06f2-\u06f6\u0662-\u0666](?:[ -]?[${digits}]){14,18}(?![\p{L}\p{N}_]|-[\p{L}\p{N}])`,
  'gu',
);
/** Cheap test for characters without which nothing is replaced; most texts have none. */
const suspicious = new RegExp(String.raw`@|%40|[?#]|[${digits}].?.?[${digits}].?.?[${digits}]`, 'su');

/** Replaces addresses, phone numbers and card numbers in a text, and the queries of its URLs. */
export function replaceValues(text: string, patterns: ReadonlySet<ValuePattern>, replace: Replace): string {
  if (!suspicious.test(text)) return text;
  let result = text
    .replace(word, (found) => withoutQuery(found, replace))
    .replace(ownQuery, (_, start: string | undefined, found: string) => `${start ?? ''}${replace('query', found)}`);
  if (patterns.has('email')) result = result.replace(email, (found) => replace('email', found));
  if (patterns.has('card')) result = result.replace(card, (found) => (isCard(found) ? replace('card', found) : found));
  if (patterns.has('phone'))
    result = result.replace(phone, (found) => (isPhone(found) ? replace('phone', found) : found));
  return result;
}

/** A URL of any length is read once; an expression would begin again at each `://`. */
function withoutQuery(text: string, replace: Replace): string {
  const address = text.indexOf('://');
  if (address < 0) return text;
  const start = text.slice(address).search(/[?#]/);
  const at = address + start;
  return start < 0 || at === text.length - 1 ? text : `${text.slice(0, at)}${replace('query', text.slice(at))}`;
}

/** Replaces Persian and Arabic digits by those of ASCII. */
const plain = (text: string): string =>
  text.replace(/[\u06f0-\u06f9\u0660-\u0669]/g, (digit) => String((digit.codePointAt(0) ?? 0) & 0xf));

function isPhone(found: string): boolean {
  const text = plain(found).trim();
  const number = text.replace(/[^\d]/g, '');
  if (text.startsWith('+') || number.startsWith('00')) return number.length >= 8 && number.length <= 17;
  if (text.includes('.') && !/^\(?\d{3}\)?[.]\d{3}[.]\d{4}$/.test(text)) return false;
  if (number.startsWith('0')) return number.length === 10 || number.length === 11;
  // National numbers without their zero, and the usual grouping of North America.
  return /^(?:98)?9\d{9}$/.test(number) || /^\(?\d{3}\)?[ .-]{1,2}\d{3}[ .-]\d{4}$/.test(text);
}

/** Whether the digits have the length and the check digit of a payment card (ISO/IEC 7812). */
function isCard(found: string): boolean {
  const number = plain(found).replace(/\D/g, '');
  if (![15, 16, 18, 19].includes(number.length)) return false;
  const sum = Array.from(number).reduceRight((total, digit, index) => {
    const value = Number(digit) * ((number.length - index) % 2 === 0 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}
