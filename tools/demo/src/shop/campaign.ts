import { type PushToken } from '@sluice/push-tokens';
import { type CallbackEndpoint } from '../call.js';
import { type SeededRandom } from '../random.js';
import { type Listing } from './catalog.js';
import { type VisitClock } from './clock.js';
import { type Happening, trackEvent } from './happening.js';
import { type ShopPerson } from './person.js';

export interface CampaignOptions {
  readonly campaign: string;
  /** People who have registered a push token. */
  readonly people: readonly ShopPerson[];
  readonly listings: readonly Listing[];
  readonly sourceIdentifier: string;
  readonly random: SeededRandom;
  /** Makes a clock for each notification. */
  readonly clock: () => VisitClock;
  readonly seal: (token: PushToken) => Promise<string>;
}

interface Notification {
  readonly person: ShopPerson;
  readonly token: string;
  readonly url: string;
  readonly clock: VisitClock;
}

const providers = { WEB: 'web-push', ANDROID: 'fcm', IOS: 'apns' } as const;

/** Notifies everybody with a push token. Yields their reactions, each as a callback and as an event. */
export async function* runCampaign(options: CampaignOptions): AsyncGenerator<Happening> {
  const { campaign: id, people, listings, random, sourceIdentifier: source } = options;
  for (const person of people) {
    const clock = options.clock();
    const token = await options.seal({
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

function* react(notification: Notification, random: SeededRandom): Generator<Happening> {
  if (random.chance(0.04)) {
    yield* reportReaction(notification, 'failed', 'failed', { reason: 'no permission' });
    return;
  }
  yield* reportReaction(notification, 'delivered', 'delivered', {});
  const reaction = random.next();
  const { url, person } = notification;
  if (reaction < 0.15) {
    const button = String(random.wholeNumber(0, 2));
    const actionParameters = button === '0' ? {} : { actionId: `action-${button}` };
    yield* reportReaction(notification, 'click', 'clicked', { url, ...actionParameters }, { url, button });
  } else if (reaction < 0.2 && person.device.sdk === 'ANDROID')
    yield* reportReaction(notification, 'open', 'opened', {});
  else if (reaction < 0.6) yield* reportReaction(notification, 'close', 'closed', {});
}

/** Native SDKs record the event first and then call back (docs/push.md#events); both become one row. */
function* reportReaction(
  { person, token, clock }: Notification,
  endpoint: CallbackEndpoint,
  name: string,
  properties: Readonly<Record<string, string>>,
  query: Readonly<Record<string, string>> = {},
): Generator<Happening> {
  yield trackEvent(person, clock, `bb_notification_${name}`, { id: token, ...properties });
  yield { type: 'call', call: { api: 'callback', endpoint, query: { token, ...query } } };
}
