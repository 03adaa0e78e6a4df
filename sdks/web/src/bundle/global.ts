import { type Consent } from '@sluice/sdk-core';
import { createClient } from '../create-client.js';
import { type WebClient, type WebOptions } from '../options.js';

/** `replay` makes the calls that the snippet took before the bundle was loaded. */
type Global = Record<string, unknown> & { replay?: () => void };
type Methods = Record<string, (...args: unknown[]) => unknown>;

const idNames = ['anonymousId', 'userId', 'deviceId'] as const;

/**
 * Fills in `window.sluice`, which the snippet may have made. A script tag with `data-api-key` and
 * `data-source-identifier` makes a client without a line of script.
 */
export function installGlobal(): void {
  const page = window as unknown as { sluice?: Global };
  const sluice = (page.sluice ??= {});
  const script = document.currentScript as HTMLScriptElement | null;
  const origin = script?.src ? new URL(script.src).origin : undefined;
  const nobody = createClient({} as WebOptions);
  let client = nobody;
  /** Calls of `use` before there is a client. */
  const earlyPlugins: unknown[] = [];
  const create = (options: WebOptions): WebClient => {
    const created = createClient(options, origin);
    if (client === nobody) {
      client = created;
      for (const plugin of earlyPlugins.splice(0)) created.use(plugin as never);
    }
    return created;
  };
  // The methods of the first client; until it is made, those of a client that does nothing.
  for (const [name, method] of Object.entries(nobody)) {
    if (typeof method !== 'function') continue;
    sluice[name] = (...args: unknown[]): unknown => {
      if (client === nobody) {
        if (name === 'use') earlyPlugins.push(args[0]);
        else console.warn(`sluice: no client for ${name}`);
      }
      return (client as unknown as Methods)[name]?.(...args);
    };
  }
  for (const name of idNames) Object.defineProperty(sluice, name, { get: () => client[name], configurable: true });
  sluice['createClient'] = create;
  const options = script && readTagOptions(script.dataset);
  if (options) create(options);
  sluice.replay?.();
}

/** Options of a script tag; undefined without credentials. */
function readTagOptions(data: DOMStringMap): WebOptions | undefined {
  const { apiKey, sourceIdentifier, consent, debug } = data;
  if (!apiKey || !sourceIdentifier) return undefined;
  return {
    credentials: { apiKey, sourceIdentifier },
    // `data-api-path` and the others have the names of the options.
    host: data,
    // A misspelt word is not `granted`, so the client waits as with `pending`.
    consent: consent as Consent | undefined,
    debug: debug !== undefined && debug !== 'false',
    // A page without a script of its own has only the console.
    errorHandler: ({ code, message }) => console.warn(`sluice: ${code}: ${message}`),
  };
}
