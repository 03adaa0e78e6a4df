import { type Client, createCore } from '@sluice/sdk-core';
import { expect, expectTypeOf, it } from 'vitest';
import { VectorWorld } from './vector-world.js';

interface Events {
  order_completed: { total: number };
  page_view: { path?: string };
}

const vector = { name: 'types', docs: ['docs/api.md#track-and-identify-messages'], steps: [] };

it('a client with typed events accepts only these events and their properties', () => {
  type Track = Client<Events>['track'];
  expectTypeOf<Parameters<Track>[0]>().toEqualTypeOf<'order_completed' | 'page_view' | 'notification_registered'>();
  const ofTyped = (client: Client<Events>): boolean[] => [
    client.track('order_completed', { total: 49.9 }),
    client.track('page_view'),
    client.track('notification_registered', { key: 'token' }),
    // @ts-expect-error another event
    client.track('order_complete', { total: 49.9 }),
    // @ts-expect-error another type of a property
    client.track('order_completed', { total: '49.9' }),
    // @ts-expect-error a required property is missing
    client.track('order_completed'),
  ];
  const world = new VectorWorld(vector, { apiKey: 'k', sourceIdentifier: 'Source000001' });
  world.start('a', {});
  // Only the types refuse the others; at run time any properties are accepted.
  expect(ofTyped(world.client('a'))).toEqual([true, true, true, true, true, true]);
});

interface Lamp {
  watts: number;
}

it('properties may be an interface, and an event of a typed client may have none', () => {
  const lamp: Lamp = { watts: 7 };
  const calls = (client: Client, typed: Client<{ opened: Record<string, never> }>): boolean[] => [
    client.track('lamp', lamp),
    typed.track('opened'),
  ];
  const world = new VectorWorld(vector, { apiKey: 'k', sourceIdentifier: 'Source000001' });
  world.start('a', {});
  expect(calls(world.client('a'), world.client('a'))).toEqual([true, true]);
});

it('a client without credentials is disabled and throws nothing', () => {
  const world = new VectorWorld(vector, { apiKey: 'k', sourceIdentifier: 'Source000001' });
  world.start('a', {});
  const codes: string[] = [];
  const client = createCore(
    { errorHandler: ({ code }) => void codes.push(code) } as Parameters<typeof createCore>[0],
    world.ports('a'),
  );
  client.reset();
  client.use(() => null);
  client.consent('denied');
  expect([codes, client.userId]).toEqual([['disabled'], undefined]);
});
