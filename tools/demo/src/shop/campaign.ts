import { type PushToken } from '@sluice/push-tokens';
import { type CallbackEndpoint } from '../call.js';
import { type Random } from '../random.js';
import { type Listing } from './catalog.js';
import { type Clock } from './clock.js';
import { type Happening, track } from './happening.js';
import { type Person } from './person.js';

export interface CampaignOf {
  readonly campaign: string;
  /** People who have registered a push token. */
  readonly people: readonly Person[];
  readonly listings: readonly Listing[];
  readonly sourceIdentifier: string;
  readonly random: Random;
  /** Makes a clock for each notification. */
  readonly clock: () => Clock;
  readonly seal: (token: PushToken) => Promise<string>;
}

interface Notification {
  readonly person: Person;
  readonly token: string;
  readonly url: string;
  readonly clock: Clock;
}

const providers = { WEB: 'web-push', ANDROID: 'fcm', IOS: 'apns' } as const;

/** Notifies everybody with a push token. Yields their reactions, each as a callback and as an event. */
export async function* campaign(of: CampaignOf): AsyncGenerator<Happening> {
  const { campaign: id, people, listings, random, sourceIdentifier: source } = of;
  for (const person of people) {
    const clock = of.clock();
    const token = await of.seal({
      notificationId: `${id}.${person.anonymousId}`,
      source,
      campaign: id,
      variation: random.pick(['a', 'b']),
      profile: person.userId,
      channel: person.device.sdk === 'WEB' ? 'web-push' : 'mobile-push',
      provider: providers[person.device.sdk],
      issuedAt: clock.tick(),
    });
    yield* react({ person, token, clock, url: random.pickPopular(listings).product.url }, random);
  }
}

function* react(notification: Notification, random: Random): Generator<Happening> {
  if (random.chance(0.04)) {
    yield* report(notification, 'failed', 'failed', { reason: 'no permission' });
    return;
  }
  yield* report(notification, 'delivered', 'delivered', {});
  const act = random.next();
  const { url, person } = notification;
  if (act < 0.15) {
    const button = String(random.whole(0, 2));
    const tapped = button === '0' ? {} : { actionId: `action-${button}` };
    yield* report(notification, 'click', 'clicked', { url, ...tapped }, { url, button });
  } else if (act < 0.2 && person.device.sdk === 'ANDROID') yield* report(notification, 'open', 'opened', {});
  else if (act < 0.6) yield* report(notification, 'close', 'closed', {});
}

/** Native SDKs record the event first and then call back (docs/push.md#events); both become one row. */
function* report(
  { person, token, clock }: Notification,
  endpoint: CallbackEndpoint,
  name: string,
  properties: Readonly<Record<string, string>>,
  query: Readonly<Record<string, string>> = {},
): Generator<Happening> {
  yield track(person, clock, `bb_notification_${name}`, { id: token, ...properties });
  yield { type: 'call', call: { api: 'callback', endpoint, query: { token, ...query } } };
}
