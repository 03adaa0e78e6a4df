import { type Message } from '@sluice/sdk-core';
import { type AppParts, type AppPlugin } from '../options.js';

const campaignNames = ['source', 'medium', 'campaign', 'term', 'content', 'id'];

/** Reads the `utm_` parameters of a link; undefined without one. Needs no `URL`, of which React Native has only a part. */
export function readCampaign(url: string): Readonly<Record<string, string>> | undefined {
  const query = /\?([^#]*)/.exec(url)?.[1] ?? '';
  const campaign: Record<string, string> = {};
  for (const pair of query.split('&')) {
    const [, name = '', value = ''] = /^utm_(\w+)=(.*)$/.exec(pair) ?? [];
    if (campaignNames.includes(name) && value) campaign[name === 'campaign' ? 'name' : name] = decodeValue(value);
  }
  return Object.keys(campaign).length > 0 ? campaign : undefined;
}

function decodeValue(text: string): string {
  try {
    return decodeURIComponent(text.replace(/\+/g, ' '));
  } catch {
    return text;
  }
}

/**
 * Tracks `deep_link_opened` with the `url` of each link that opens the app. A link with campaign parameters puts
 * `context.campaign` into this and all later messages, until another link brings others or the app ends.
 */
export function deepLinks(): AppPlugin {
  let campaign: Readonly<Record<string, string>> | undefined;
  let isListening = false;
  const plugin = (message: Message): Message =>
    campaign ? { ...message, context: { campaign, ...message.context } } : message;
  return Object.assign(plugin, {
    begin({ client, native }: AppParts): void {
      if (isListening) return;
      isListening = true;
      const opened = (url: string | null | undefined): void => {
        if (!url) return;
        campaign = readCampaign(url) ?? campaign;
        client.track('deep_link_opened', { url });
      };
      native.Linking.addEventListener('url', ({ url }) => opened(url));
      native.Linking.getInitialURL().then(opened, () => undefined);
    },
  });
}
