import { type TrackMessage } from '@sluice/contracts';

const events = 200;
const properties = 20;
const types = ['string', 'number', 'integer', 'boolean'] as const;
const colours = ['red', 'green', 'blue', 'white'];

const propertyType = (index: number): (typeof types)[number] => types[index % types.length] ?? 'string';

/** A plan of 200 closed events with 20 properties each. */
export const benchPlan = (source: string, version: number): object => ({
  version,
  sources: [source],
  events: Object.fromEntries(Array.from({ length: events }, (_, event) => [eventName(event), eventPlan(event)])),
});

const eventName = (event: number): string => `event_${event}`;

const eventPlan = (event: number): object => ({
  properties: {
    ...Object.fromEntries(
      Array.from({ length: properties - 1 }, (_, i) => [`property_${event}_${i}`, { type: propertyType(i) }]),
    ),
    colour: { type: 'string', enum: colours },
  },
  required: [`property_${event}_0`],
});

/** The nth message, which fits the plan; each n is a different person. */
export function plannedMessage(n: number): TrackMessage {
  const event = n % events;
  const values = { string: `value ${n}`, number: n / 7, integer: n, boolean: n % 2 === 0 };
  return {
    userId: `user-${n}`,
    event: eventName(event),
    timestamp: new Date(1_750_000_000_000 + n * 37).toISOString(),
    properties: {
      ...Object.fromEntries(
        Array.from({ length: properties - 1 }, (_, i) => [`property_${event}_${i}`, values[propertyType(i)]]),
      ),
      colour: colours[n % colours.length],
    },
  };
}
