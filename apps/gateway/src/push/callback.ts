import { type Report } from '@sluice/messages';

/** The query of a callback as it was sent; a repeated parameter is an array. */
export type CallbackQuery = Readonly<Record<string, unknown>>;

export const maxUrlLength = 2_048;

/** Reads the target of a click. The report names parameters out of the bounds of docs/push.md#callbacks. */
export function clickTarget({ url, button }: CallbackQuery, report: Report): { url?: string; button?: number } {
  if (button !== undefined && !['0', '1', '2'].includes(button as string)) {
    report.refuse('button', 'must be 0, 1 or 2');
  }
  if (url !== undefined && !isUrl(url)) report.refuse('url', `must be at most ${maxUrlLength} characters`);
  return {
    ...(typeof url === 'string' && url !== '' && { url }),
    ...(button !== undefined && { button: Number(button) }),
  };
}

/** Accepts any text, because links to apps have schemes of their own. */
const isUrl = (url: unknown): url is string =>
  typeof url === 'string' &&
  (url.length <= maxUrlLength || Array.from(url).length <= maxUrlLength) &&
  url.isWellFormed();
