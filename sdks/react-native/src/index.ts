import { type EventMap } from '@sluice/sdk-core';
import { createClientOn } from './create-client.js';
import { native } from './native/react-native.js';
import { type ReactNativeClient, type ReactNativeOptions } from './options.js';

export * from './without-native.js';

/** The client of this platform's source. The second call for a source gives the same client. Never throws. */
export const createClient = <Events extends EventMap = Record<string, object>>(
  options: ReactNativeOptions,
): ReactNativeClient<Events> => createClientOn<Events>(native, options);
