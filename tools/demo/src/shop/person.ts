import { type FreeForm } from '@sluice/contracts';
import { SeededRandom } from '../random.js';
import { cities, firstNames, lastNames, locales, plans } from './names.js';

/** A visitor of the shop with one device. */
export interface ShopPerson {
  readonly anonymousId: string;
  /** Part of messages while `isCustomer` is true. */
  readonly userId: string;
  /** True once the person has an account; others can open one later. */
  isCustomer: boolean;
  readonly traits: FreeForm;
  readonly context: FreeForm;
  readonly device: ShopDevice;
}

export interface ShopDevice {
  readonly id: string;
  readonly sdk: 'WEB' | 'ANDROID' | 'IOS';
  /** The push token that the device has registered, if any. */
  key: string | undefined;
}

const customerShare = 0.4;

/** The nth person of the shop with this seed. */
export function makePerson(seed: string, n: number): ShopPerson {
  const random = new SeededRandom(`${seed} person ${n}`);
  const [firstName, lastName, home] = [
    random.pick(firstNames),
    random.pick(lastNames),
    random.wholeNumber(0, cities.length - 1),
  ];
  const sdk = random.pick(['WEB', 'WEB', 'ANDROID', 'ANDROID', 'IOS'] as const);
  return {
    anonymousId: `anon-${seed}-${n}`,
    userId: `user-${seed}-${n}`,
    isCustomer: random.chance(customerShare),
    traits: {
      firstName,
      lastName,
      email: `user-${n}@example.com`,
      plan: random.pick(plans),
      address: { city: cities[home] },
      newsletter: random.chance(0.5),
      birthYear: random.wholeNumber(1950, 2006),
    },
    context: {
      locale: locales[home],
      library: { name: `sluice-${sdk.toLowerCase()}`, version: '1.4.0' },
      screen: sdk === 'WEB' ? { width: 1920, height: 1080 } : { width: 390, height: 844 },
    },
    device: { id: `device-${seed}-${n}`, sdk, key: undefined },
  };
}

/** Ids of the sender: always the device, and the account once there is one. */
export const senderIds = ({
  isCustomer,
  userId,
  anonymousId,
}: ShopPerson): { userId?: string; anonymousId: string } => ({
  ...(isCustomer && { userId }),
  anonymousId,
});
