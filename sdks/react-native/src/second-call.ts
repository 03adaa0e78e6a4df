import { attempt, type Consent, type SluiceError } from '@sluice/sdk-core';
import { type ReactNativeOptions } from './options.js';

/** Options whose values are compared; functions and objects may be new in each call. */
const comparedOptions = [
  ...([
    'eventsPath',
    'packageName',
    'flushAt',
    'flushInterval',
    'maxAge',
    'maxMessages',
    'maxBytes',
    'maxBatchBytes',
  ] as const),
  'debug',
] as const;

/** From the state that allows most to the strictest. */
const byStrictness: readonly Consent[] = ['granted', 'pending', 'denied'];

interface First {
  readonly options: ReactNativeOptions;
  readonly apiKey: string;
  /** Changes the consent of the client. */
  readonly consent: (state: Consent) => void;
}

export interface SecondCall {
  readonly consent: (state: Consent) => void;
  /** Called for a later `createClient` for the same source and host. */
  readonly again: (options: ReactNativeOptions, apiKey: string) => void;
}

/**
 * Handles a later `createClient` for the same source: a stricter consent is obeyed, and other options are reported as
 * `invalid` to both errorHandlers, because the options of the first call stay in force.
 */
export function createSecondCall({ options: first, apiKey: firstKey, consent: change }: First): SecondCall {
  let state = first.consent ?? 'granted';
  const consent = (next: Consent): void => {
    state = next;
    change(next);
  };
  return {
    consent,
    again(later, apiKey) {
      const differing: string[] = comparedOptions.filter(
        (name) => later[name] !== undefined && later[name] !== first[name],
      );
      if (apiKey !== firstKey) differing.push('apiKey');
      const wantedConsent = later.consent ?? state;
      if (wantedConsent !== state) differing.push('consent');
      if (byStrictness.indexOf(wantedConsent) > byStrictness.indexOf(state)) consent(wantedConsent);
      if (differing.length === 0) return;
      const message = `createClient was called again with other options: ${differing.join(', ')}`;
      const error: SluiceError = { code: 'invalid', message };
      for (const handler of new Set([first.errorHandler, later.errorHandler])) attempt(() => handler?.(error));
    },
  };
}
