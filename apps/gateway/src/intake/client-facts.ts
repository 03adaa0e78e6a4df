import { type IncomingHttpHeaders } from 'node:http';
import { makeValidator } from '@sluice/service';
import { hasPublicKey, type Source } from '@sluice/sources';

/** Facts about the client that come with a request, besides its messages. None is a network address. */
export interface ClientFacts {
  /** Place of the user agent of a message: docs/api.md#user-agent-and-country. */
  userAgentFrom: 'header' | 'context' | 'nowhere';
  /** Text of the header `User-Agent`; undefined unless `userAgentFrom` is `header`. */
  userAgent: string | undefined;
  country: string | undefined;
}

const maxUserAgentLength = 256;
/** Upper bound of the text that is cleaned, to bound the time that it takes; far more than is kept of it. */
const maxCleanedLength = 8_192;
/** Matches nearly every user agent; these are stored as they are. */
const plainText = /^[\x21-\x7e](?:[\x20-\x7e]{0,254}[\x21-\x7e])?$/;
const twoLetters = /^[A-Za-z]{2}$/;

/**
 * Reads the facts once per request. When a server sends, the header and the country are those of
 * the server and not of its users, so both are left out.
 * @param countryHeader name of the header, in lower case, in which the operator's edge writes the country
 */
export function readClientFacts(
  source: Source | undefined,
  headers: IncomingHttpHeaders,
  countryHeader: string | undefined,
): ClientFacts {
  if (source === undefined) return { userAgentFrom: 'nowhere', userAgent: undefined, country: undefined };
  const isDropped = source.userAgent === 'drop';
  if (!hasPublicKey(source))
    return { userAgentFrom: isDropped ? 'nowhere' : 'context', userAgent: undefined, country: undefined };
  return {
    userAgentFrom: isDropped ? 'nowhere' : 'header',
    userAgent: isDropped ? undefined : userAgentText(decodeHeader(headers['user-agent'] ?? '')),
    country: countryHeader === undefined ? undefined : readCountry(headers[countryHeader]),
  };
}

/** A user agent as it is stored: at most 256 characters, control characters as spaces; undefined for an empty one. */
export function userAgentText(text: string): string | undefined {
  if (plainText.test(text)) return text;
  const cleaned = text
    .slice(0, maxCleanedLength)
    .toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
    .trim();
  const cut = Array.from(cleaned.slice(0, 2 * maxUserAgentLength))
    .slice(0, maxUserAgentLength)
    .join('');
  return cut === '' ? undefined : cut.toWellFormed();
}

/** Node reads headers as Latin-1; a text that is valid UTF-8 was meant as such. */
function decodeHeader(header: string): string {
  if (!/[\x80-\xff]/.test(header)) return header;
  const text = Buffer.from(header, 'latin1').toString();
  return text.includes('\ufffd') ? header : text;
}

/** Two letters; undefined for anything else, such as an address or the two values of a header that came twice. */
const readCountry = (value: string | string[] | undefined): string | undefined =>
  typeof value === 'string' && twoLetters.test(value) ? value.toUpperCase() : undefined;

/** Reads the name of a header; lower case, as Node has it. */
export const headerName = makeValidator<string>((input) => {
  if (!/^[A-Za-z0-9-]{1,64}$/.test(input)) throw new TypeError(`must be the name of a header, is "${input}"`);
  return input.toLowerCase();
});
