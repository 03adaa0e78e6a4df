import { type Message } from '@sluice/sdk-core';
import { expect, it, vi } from 'vitest';
import { type PageParts } from '../options.js';
import { privacySignal, rateGuard, register } from './index.js';

const event = (name: string, properties: object = {}): Message => ({ type: 'track', event: name, properties });

it('registered properties are on every event, and those of the event win', () => {
  const common = register({ plan: 'free', shop: 'lamps' });
  common.set({ plan: 'paid' });
  expect(common(event('viewed', { shop: 'chairs' }))?.properties).toEqual({ plan: 'paid', shop: 'chairs' });
  expect(common({ type: 'identify', traits: {} })).toEqual({ type: 'identify', traits: {} });
});

it('the rate guard leaves out a loop of one name, says so, and lets others pass', () => {
  const reports: string[] = [];
  const guard = rateGuard({ most: 3, windowMs: 1_000 });
  guard.begin?.({ failed: (text: string) => reports.push(text) } as unknown as PageParts);
  const taken = Array.from({ length: 10 }, () => guard(event('rendered'))).filter(Boolean);
  expect([taken.length, guard(event('bought')) !== null]).toEqual([3, true]);
  guard.end?.();
  expect(reports).toEqual([
    'rendered: more than 3 in 1000 ms, the rate guard leaves out the others',
    'rendered: 7 left out by the rate guard',
  ]);
});

it('Global Privacy Control denies consent', () => {
  vi.stubGlobal('navigator', { globalPrivacyControl: true });
  const states: string[] = [];
  const plugin = privacySignal();
  plugin.begin?.({ client: { consent: (state: string) => states.push(state) } } as unknown as PageParts);
  expect([states, plugin(event('viewed'))]).toEqual([['denied'], null]);
  vi.unstubAllGlobals();
});
