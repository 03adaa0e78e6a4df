import { type createClient } from '../create-client.js';
import { type WebClient, type WebOptions } from '../options.js';

/** A call that the snippet took before the bundle was there, with its time. */
type Early = readonly [name: string, args: readonly unknown[], time: number];

type Global = Record<string, unknown> & { q?: { push(call: Early): void } };

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

/** Position of the options of a call, where its time goes. */
const optionsAt: Readonly<Record<string, number>> = { track: 2, identify: 2 };

/**
 * Fills in `window.sluice`, which the snippet may have made: its calls are made now, with their own time. A script tag
 * with `data-api-key` and `data-source-identifier` is a client without a line of script.
 */
export function begin(create: typeof createClient): void {
  const page = window as unknown as { sluice?: Global };
  const sluice = (page.sluice ??= {});
  const script = document.currentScript as HTMLScriptElement | null;
  const origin = script?.src ? new URL(script.src).origin : undefined;
  const early = (sluice.q ?? []) as readonly Early[];
  let client: WebClient | undefined;
  sluice['createClient'] = (options: WebOptions) => {
    const made = create(options, origin);
    client ??= made;
    return made;
  };
  for (const name of methods) {
    sluice[name] = (...args: unknown[]): unknown =>
      (client as unknown as Record<string, (...args: unknown[]) => unknown> | undefined)?.[name]?.(...args);
  }
  const { apiKey, sourceIdentifier, apiPath } = script?.dataset ?? {};
  if (apiKey && sourceIdentifier) {
    (sluice['createClient'] as typeof create)({ credentials: { apiKey, sourceIdentifier }, host: { apiPath } });
  }
  const make = ([name, args, time]: Early): void => {
    const at = optionsAt[name];
    const call = [...args];
    if (at !== undefined) call[at] = { timestamp: new Date(time), ...(call[at] as object | undefined) };
    (sluice[name] as (...args: unknown[]) => unknown)(...call);
  };
  // Somebody may have kept a function of the snippet.
  sluice.q = { push: make };
  for (const call of early) make(call);
}
