import { type Message } from '@sluice/sdk-core';
import { type PageParts, type WebPlugin } from '../options.js';

/** Tracks each page that is shown, also when a script changes the address. */
export function pageViews({ event = 'page_view' } = {}): WebPlugin {
  let last: string | undefined;
  const view = ({ client }: PageParts): void => {
    const { href: url, pathname: path } = location;
    if (url === last) return;
    const referrer = last ?? document.referrer;
    last = url;
    client.track(event, { url, path, title: document.title, referrer });
  };
  let given: PageParts | undefined;
  const viewNow = (): void => {
    if (given) view(given);
  };
  const begin = (parts: PageParts): void => {
    given = parts;
    if (last !== undefined) return;
    view(parts);
    for (const name of ['pushState', 'replaceState'] as const) {
      const original = history[name].bind(history);
      // Stays after `end`, because others may have wrapped it; it then only calls the original.
      history[name] = (...args: Parameters<History['pushState']>) => {
        original(...args);
        viewNow();
      };
    }
    addEventListener('popstate', viewNow);
  };
  const end = (): void => {
    given = undefined;
    removeEventListener('popstate', viewNow);
  };
  return Object.assign((message: Message) => message, { begin, end });
}
