import { type Message } from '@sluice/sdk-core';
import { type PageParts, type WebPlugin } from '../options.js';

/** An event for each page that is shown, also where a script changes the address. */
export function pageViews({ event = 'page_view' } = {}): WebPlugin {
  let last: string | undefined;
  const view = ({ client }: PageParts): void => {
    const { href: url, pathname: path } = location;
    if (url === last) return;
    const referrer = last ?? document.referrer;
    last = url;
    client.track(event, { url, path, title: document.title, referrer });
  };
  const begin = (parts: PageParts): void => {
    if (last !== undefined) return;
    view(parts);
    for (const name of ['pushState', 'replaceState'] as const) {
      const original = history[name].bind(history);
      history[name] = (...args: Parameters<History['pushState']>) => {
        original(...args);
        view(parts);
      };
    }
    addEventListener('popstate', () => {
      view(parts);
    });
  };
  return Object.assign((message: Message) => message, { begin });
}
