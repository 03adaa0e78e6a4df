import { type FreeForm, type IdentifyMessage, type TrackMessage } from '@sluice/contracts';
import { type Call } from '../call.js';
import { type Clock } from './clock.js';
import { idsOf, type Person } from './person.js';

/** One thing that happens. An outbox puts messages into requests; a call is a request already. */
export type Happening =
  | { readonly type: 'track'; readonly message: TrackMessage; readonly sentBy: 'sdk' | 'back end' }
  | { readonly type: 'identify'; readonly message: IdentifyMessage }
  | { readonly type: 'call'; readonly call: Call };

const iso = (clock: Clock): string => new Date(clock.tick()).toISOString();

export function track(person: Person, clock: Clock, event: string, properties: FreeForm): Happening {
  const message = { ...idsOf(person), event, properties, context: person.context, timestamp: iso(clock) };
  return { type: 'track', message, sentBy: 'sdk' };
}

/** An event that the shop's back end reports. It knows no device and, live, is sent at once. */
export function trackOnServer(person: Person, clock: Clock, event: string, properties: FreeForm): Happening {
  return {
    type: 'track',
    message: { userId: person.userId, event, properties, timestamp: iso(clock) },
    sentBy: 'back end',
  };
}

export function identify(person: Person, clock: Clock): Happening {
  const { traits, context } = person;
  return { type: 'identify', message: { ...idsOf(person), traits, context, timestamp: iso(clock) } };
}
