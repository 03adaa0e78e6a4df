import { type Message } from '@sluice/sdk-core';
import { type PageParts, type WebPlugin } from '../options.js';

const maxTextLength = 100;

/** Tracks each click on a link, a button or an element with `data-event`, which names the event. Reads no inputs. */
export function clicks({ event = 'click', selector = 'a,button,[data-event]' } = {}): WebPlugin {
  let client: PageParts['client'] | undefined;
  const trackClick = ({ target }: Event): void => {
    const element = target instanceof Element ? target.closest<HTMLElement>(selector) : null;
    if (!element) return;
    const text = element.textContent.trim().slice(0, maxTextLength);
    const href = element.getAttribute('href') ?? undefined;
    client?.track(element.dataset['event'] ?? event, { id: element.id || undefined, text, href });
  };
  const begin = (parts: PageParts): void => {
    // Listens before a handler of the page can stop the click. The same listener is added only once.
    client = parts.client;
    document.addEventListener('click', trackClick, true);
  };
  const end = (): void => document.removeEventListener('click', trackClick, true);
  return Object.assign((message: Message) => message, { begin, end });
}
