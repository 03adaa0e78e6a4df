import {
  deviceTopic,
  identifyTopic,
  interactionTopic,
  refusedMessageTopic,
  sellerTopic,
  trackTopic,
} from '@sluice/contracts';
import { expect, it } from 'vitest';
import { isWithin, findQuota } from './quotas.js';

it.each([
  [identifyTopic, {}, 'people'],
  [trackTopic, { event: 'bb_notification_registered' }, 'people'],
  [trackTopic, { event: 'bb_notification_clicked' }, 'events'],
  [sellerTopic, {}, 'events'],
  [deviceTopic, {}, undefined],
  [interactionTopic, {}, undefined],
  [refusedMessageTopic, {}, undefined],
])('counts a row of $name once', ({ name }, row, quota) => {
  expect(findQuota(name, row)).toBe(quota);
});

it('stores what belongs to a message with it, and nothing of refused messages', () => {
  const topics = [identifyTopic, deviceTopic, interactionTopic, trackTopic, refusedMessageTopic];
  const within = (quota: 'events' | 'people') => topics.filter(({ name }) => isWithin(quota, name, { event: 'e' }));
  expect(within('people')).toEqual([identifyTopic, deviceTopic]);
  expect(within('events')).toEqual([interactionTopic, trackTopic]);
});
