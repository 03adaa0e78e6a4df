import { maskKeys } from './mask-keys.js';

const maxLength = 256;

/** Scheme, host and port of an `Origin`, for someone to allow it; empty for any other text. */
export function shownOrigin(sent: string | undefined): string {
  if (sent === undefined || sent.length > maxLength || !/^https?:\/\//i.test(sent)) return '';
  const { origin = '' } = URL.parse(sent) ?? {};
  return maskKeys(origin).slice(0, maxLength);
}
