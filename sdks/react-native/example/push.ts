import notifee from '@notifee/react-native';
import {
  getMessaging,
  getToken,
  onMessage,
  onTokenRefresh,
  setBackgroundMessageHandler,
} from '@react-native-firebase/messaging';
import { sluice } from './client.js';

const messaging = getMessaging();

/** Shows a message of Sluice; the app handles any other. The system keeps the app alive until the promise resolves. */
async function show(message: { data?: object }): Promise<void> {
  if ((await sluice.notifications.handle(message.data)) === 'foreign') console.log('a message of another sender');
}

// Called while the app is in the background, or was started for the message.
setBackgroundMessageHandler(messaging, show);

/** Called when the app opens: asks for the permission, registers this device, and shows messages from then on. */
export async function startPush(): Promise<void> {
  await notifee.requestPermission();
  await notifee.createChannel({ id: 'offers', name: 'Offers' });
  onMessage(messaging, show);
  onTokenRefresh(messaging, (token) => {
    sluice.setDeviceToken(token);
  });
  sluice.setDeviceToken(await getToken(messaging));
}
