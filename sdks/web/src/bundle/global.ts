import { createClient } from '../create-client.js';
import { type WebClient, type WebOptions } from '../options.js';

/** `replay` makes the calls that the snippet took before the bundle was there. */
type Global = Record<string, unknown> & { replay?: () => void };

/** Methods of the first client, which `sluice` itself has too. */
export const methods = [
  'track',
  'identify',
  'reset',
  'flush',
  'close',
  'consent',
  'use',
  'requestAd',
  'requestSponsoredAd',
];

/**
 * Fills in `window.sluice`, which the snippet may have made. A script tag with `data-api-key` and
 * `data-source-identifier` is a client without a line of script.
 */
export function begin(): void {
  const page = window as unknown as { sluice?: Global };
  const sluice = (page.sluice ??= {});
  const script = document.currentScript as HTMLScriptElement | null;
  const origin = script?.src ? new URL(script.src).origin : undefined;
  let client: WebClient | undefined;
  const create = (options: WebOptions): WebClient => {
    const made = createClient(options, origin);
    client ??= made;
    return made;
  };
  for (const name of methods) {
    sluice[name] = (...args: unknown[]): unknown =>
      (client as unknown as Record<string, (...args: unknown[]) => unknown> | undefined)?.[name]?.(...args);
  }
  sluice['createClient'] = create;
  const { apiKey, sourceIdentifier, apiPath } = script?.dataset ?? {};
  if (apiKey && sourceIdentifier) create({ credentials: { apiKey, sourceIdentifier }, host: { apiPath } });
  sluice.replay?.();
}
