import { createClient } from '../create-client.js';
import { type WebClient, type WebOptions } from '../options.js';

/** `replay` makes the calls that the snippet took before the bundle was there. */
type Global = Record<string, unknown> & { replay?: () => void };

/**
 * Fills in `window.sluice`, which the snippet may have made. A script tag with `data-api-key` and
 * `data-source-identifier` is a client without a line of script.
 */
export function begin(): void {
  const page = window as unknown as { sluice?: Global };
  const sluice = (page.sluice ??= {});
  const script = document.currentScript as HTMLScriptElement | null;
  const origin = script?.src ? new URL(script.src).origin : undefined;
  const nobody = createClient({} as WebOptions);
  let client = nobody;
  const create = (options: WebOptions): WebClient => {
    const made = createClient(options, origin);
    if (client === nobody) client = made;
    return made;
  };
  // The methods of the first client; before it is made, of one that does nothing.
  for (const [name, method] of Object.entries(nobody)) {
    if (typeof method === 'function') {
      sluice[name] = (...args: unknown[]): unknown =>
        (client as unknown as Record<string, (...args: unknown[]) => unknown>)[name]?.(...args);
    }
  }
  sluice['createClient'] = create;
  const { apiKey, sourceIdentifier, apiPath } = script?.dataset ?? {};
  if (apiKey && sourceIdentifier) create({ credentials: { apiKey, sourceIdentifier }, host: { apiPath } });
  sluice.replay?.();
}
