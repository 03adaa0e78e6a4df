import { type FreeForm, type IdentifyMessage, type TrackMessage } from '@sluice/contracts';
import { type ShopCall } from '../call.js';
import { type VisitClock } from './clock.js';
import { senderIds, type ShopPerson } from './person.js';

/** One thing that happens. An outbox puts messages into requests; a call is a request already. */
export type Happening =
  | { readonly type: 'track'; readonly message: TrackMessage; readonly sentBy: 'sdk' | 'back end' }
  | { readonly type: 'identify'; readonly message: IdentifyMessage }
  | { readonly type: 'call'; readonly call: ShopCall };

const nextIsoTime = (clock: VisitClock): string => new Date(clock.tick()).toISOString();

export function trackEvent(person: ShopPerson, clock: VisitClock, event: string, properties: FreeForm): Happening {
  const message = { ...senderIds(person), event, properties, context: person.context, timestamp: nextIsoTime(clock) };
  return { type: 'track', message, sentBy: 'sdk' };
}

/** An event that the shop's back end reports. It knows no device and, live, is sent at once. */
export function trackOnServer(person: ShopPerson, clock: VisitClock, event: string, properties: FreeForm): Happening {
  return {
    type: 'track',
    message: { userId: person.userId, event, properties, timestamp: nextIsoTime(clock) },
    sentBy: 'back end',
  };
}

export function identifyPerson(person: ShopPerson, clock: VisitClock): Happening {
  const { traits, context } = person;
  return { type: 'identify', message: { ...senderIds(person), traits, context, timestamp: nextIsoTime(clock) } };
}
