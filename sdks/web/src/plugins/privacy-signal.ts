import { type Message } from '@sluice/sdk-core';
import { type PageParts, type WebPlugin } from '../options.js';

/** Denies consent where the browser sends Global Privacy Control. Put it first in `plugins`. */
export function privacySignal(): WebPlugin {
  const isSet = (): boolean => (navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl === true;
  return Object.assign((message: Message) => (isSet() ? null : message), {
    begin({ client }: PageParts) {
      if (isSet()) client.consent('denied');
    },
  });
}
