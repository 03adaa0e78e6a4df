import { type Message } from '@sluice/sdk-core';
import { type PageParts, type WebPlugin } from '../options.js';

/** Tracks each page that is shown, also when a script changes the address. */
export function pageViews({ event = 'page_view' } = {}): WebPlugin {
  let lastUrl: string | undefined;
  const view = ({ client }: PageParts): void => {
    const { href: url, pathname: path } = location;
    if (url === lastUrl) return;
    const referrer = lastUrl ?? document.referrer;
    lastUrl = url;
    client.track(event, { url, path, title: document.title, referrer });
  };
  let pageParts: PageParts | undefined;
  const viewNow = (): void => {
    if (pageParts) view(pageParts);
  };
  const begin = (parts: PageParts): void => {
    pageParts = parts;
    if (lastUrl !== undefined) return;
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
    pageParts = undefined;
    removeEventListener('popstate', viewNow);
  };
  return Object.assign((message: Message) => message, { begin, end });
}
