import notifee from '@notifee/react-native';
import { createClient, deepLinks, mmkvStorage, notifeeAdapter } from '@sluice/react-native';
import { createMMKV } from 'react-native-mmkv';

interface Events {
  screen_viewed: { screen: string };
  product_added: { product: string; price: number };
}

/** Made when the bundle loads, so that a push message that starts the app in the background finds it. */
export const sluice = createClient<Events>({
  android: { apiKey: 'API_KEY_OF_ANDROID', sourceIdentifier: 'ANDROID_0001' },
  ios: { apiKey: 'API_KEY_OF_IOS', sourceIdentifier: 'APPLE_000001' },
  apiHost: 'https://sluice.example',
  packageName: 'com.example.lamps',
  storage: mmkvStorage(createMMKV({ id: 'sluice' })),
  notifications: notifeeAdapter(notifee, { channelId: 'offers' }),
  plugins: [deepLinks()],
  errorHandler: ({ code, message, count = 0 }) => console.warn(`sluice: ${code}: ${message} (${count} lost)`),
});
