import { describe, expect, it } from 'vitest';
import { type FormatName, importFormats, parseFormat } from './formats.js';

/** Lines as the systems write them, with the items that they stand for. */
const cases: Record<FormatName, [record: Record<string, unknown>, items: object[]][]> = {
  segment: [
    [
      { type: 'track', event: 'Signed Up', userId: 'u', messageId: 'm', receivedAt: '2026-01-31T12:00:01.000Z' },
      [{ type: 'track', event: 'Signed Up', userId: 'u', messageId: 'm', receivedAt: '2026-01-31T12:00:01.000Z' }],
    ],
  ],
  posthog: [
    [
      {
        uuid: '0190',
        event: 'order placed',
        distinct_id: 'u-1',
        timestamp: '2026-01-31 12:00:00.123456',
        properties: '{"total":5,"$device_id":"d-1","$is_identified":true,"token":"phc_x"}',
      },
      [
        {
          ...{ type: 'track', event: 'order placed', userId: 'u-1', anonymousId: 'd-1', messageId: '0190' },
          ...{ timestamp: '2026-01-31T12:00:00.123456Z' },
          properties: { total: 5, $device_id: 'd-1', $is_identified: true },
        },
      ],
    ],
    [
      { uuid: '1', event: '$pageview', distinct_id: 'd-1', properties: { $device_id: 'd-1', title: 'Home' } },
      [
        {
          ...{ type: 'page', anonymousId: 'd-1', messageId: '1', name: 'Home' },
          properties: { $device_id: 'd-1', title: 'Home' },
        },
      ],
    ],
    [
      {
        ...{ uuid: '2', event: '$identify', distinct_id: 'u-1' },
        properties: { $anon_distinct_id: 'd-1', $set: { plan: 'pro' }, $set_once: { first: 1 } },
      },
      [{ type: 'identify', userId: 'u-1', anonymousId: 'd-1', messageId: '2', traits: { first: 1, plan: 'pro' } }],
    ],
    [
      { uuid: '3', event: '$create_alias', distinct_id: 'u-1', properties: { alias: 'd-1' } },
      [{ type: 'alias', userId: 'u-1', messageId: '3', previousId: 'd-1' }],
    ],
    [
      {
        ...{ uuid: '4', event: '$groupidentify', distinct_id: 'u-1' },
        properties: { $group_type: 'company', $group_key: 'acme', $group_set: { seats: 3 } },
      },
      [{ type: 'group', userId: 'u-1', messageId: '4', groupId: 'acme', traits: { seats: 3, groupType: 'company' } }],
    ],
  ],
  mixpanel: [
    [
      { event: 'Played', properties: { time: 1_769_860_800, distinct_id: 'u-1', $insert_id: 'i', song: 'x' } },
      [
        {
          ...{ type: 'track', event: 'Played', userId: 'u-1', messageId: 'Played|u-1|1769860800|i' },
          ...{ timestamp: '2026-01-31T12:00:00.000Z', properties: { song: 'x' } },
        },
      ],
    ],
    [
      { event: 'Played', properties: { time: 1_769_860_800_123, distinct_id: '$device:d-1' } },
      [
        {
          ...{ type: 'track', event: 'Played', anonymousId: 'd-1' },
          ...{ timestamp: '2026-01-31T12:00:00.123Z', properties: {} },
        },
      ],
    ],
  ],
  amplitude: [
    [
      {
        ...{
          uuid: 'a',
          event_type: 'Play',
          user_id: 'u-1',
          device_id: 'd-1',
          event_time: '2026-01-31 12:00:00.000000',
        },
        ...{ event_properties: { song: 'x' }, user_properties: {}, platform: 'iOS', country: 'Germany' },
      },
      [
        {
          ...{ type: 'track', event: 'Play', userId: 'u-1', anonymousId: 'd-1', messageId: 'a' },
          timestamp: '2026-01-31T12:00:00.000000Z',
          context: { platform: 'iOS', country: 'Germany' },
          properties: { song: 'x' },
        },
      ],
    ],
    [
      { uuid: 'b', event_type: '$identify', user_id: 'u-1', user_properties: { plan: 'pro' } },
      [{ type: 'identify', userId: 'u-1', messageId: 'b', traits: { plan: 'pro' } }],
    ],
    [
      { uuid: 'c', event_type: '$groupidentify', user_id: 'u-1', groups: { org: ['acme', 'bolt'] } },
      [
        { type: 'group', userId: 'u-1', messageId: 'c', groupId: 'acme', traits: { groupType: 'org' } },
        { type: 'group', userId: 'u-1', messageId: 'c:1', groupId: 'bolt', traits: { groupType: 'org' } },
      ],
    ],
  ],
};

describe.each(Object.entries(cases))('a record of %s', (from, records) =>
  it.each(records)('%j', (record, items) => expect(importFormats[from as FormatName](record)).toEqual(items)),
);

it('names the systems when it is asked for another', () =>
  expect(() => parseFormat('ga4')).toThrow("--from must be one of segment, posthog, mixpanel, amplitude; it is 'ga4'"));
