import { attempt, type Lifecycle, type LifecycleEvent } from '@sluice/sdk-core';
import { type NativeParts } from '../native/native-parts.js';

/** A source of network changes, of the form of `@react-native-community/netinfo`. */
export interface NetworkSource {
  addEventListener(
    listener: (state: { readonly isConnected: boolean | null; readonly isInternetReachable?: boolean | null }) => void,
  ): () => void;
}

export interface AppLifecycle extends Lifecycle {
  /** Lets the client list the store again. */
  readonly wake: () => void;
}

/**
 * Lifecycle events of the app: in the background it may end at any moment. The state of the network is only a
 * hint.
 * @param onFailure called if `network` cannot be listened to
 */
export function createLifecycle(
  { AppState }: NativeParts,
  network: NetworkSource | undefined,
  onFailure: (cause: unknown) => void,
): AppLifecycle {
  let onEvent: ((event: LifecycleEvent) => void) | undefined;
  return {
    wake: () => onEvent?.('wake'),
    subscribe(listener: (event: LifecycleEvent) => void) {
      onEvent = listener;
      // iOS is `inactive` for a moment on the way to the background, and while it shows a dialog of its own.
      const states = AppState.addEventListener('change', (state) => {
        if (state === 'background') listener('hide');
        else if (state === 'active') listener('show');
      });
      let wasConnected: boolean | undefined;
      const onNetwork: Parameters<NetworkSource['addEventListener']>[0] = ({ isConnected, isInternetReachable }) => {
        const isUp = isConnected === true && isInternetReachable !== false;
        if (isUp && wasConnected === false) listener('online');
        wasConnected = isUp;
      };
      let stop: (() => void) | undefined;
      try {
        stop = network?.addEventListener(onNetwork);
      } catch (cause) {
        // An app may give something else than NetInfo, and must start all the same.
        onFailure(cause);
      }
      return () => {
        onEvent = undefined;
        states?.remove();
        attempt(() => stop?.());
      };
    },
  };
}
