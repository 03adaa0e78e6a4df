import { type Api, type ErasureView, type Operation } from '@sluice/console-api';

const source = 'Ab3dEf6hIj9k';
const requestedAt = '2026-11-22T05:00:00.000Z';

const anErasure = (changed: Partial<ErasureView>): ErasureView => ({
  request: 'e-1',
  state: 'requested',
  requestedAt,
  by: 'PRIV-1042',
  sources: [source],
  ids: { user: 1, anonymous: 3 },
  othersDevices: 0,
  rows: { events: 31_677, identifies: 12, users: 1 },
  keepsSuppressed: false,
  reached: { requested: requestedAt },
  reapplied: 0,
  problem: null,
  clearAt: null,
  ...changed,
});

/** Answers for the page Privacy. @param hostile a text with markup that a page must show as text */
export const privacyAnswers = (hostile: string) =>
  ({
    'GET /api/privacy/erasures': {
      open: 2,
      erasures: [
        anErasure({ request: 'e-5c1d2e3f-4a5b', state: 'requested', reached: {}, rows: {} }),
        anErasure({
          ...{ request: 'e-4b0c1d2e-3f4a', state: 'barrier', by: hostile },
          problem: 'not stored yet: tracking.track.v1, 4,212 messages',
        }),
        anErasure({
          ...{ request: 'e-3a9b0c1d-2e3f', state: 'waiting', reapplied: 1 },
          reached: { requested: requestedAt, verified: '2026-11-22T05:12:40.000Z' },
          clearAt: { kafka: '2026-11-30T04:40:00.000Z', backups: '2026-12-22T04:26:40.000Z' },
        }),
        anErasure({ request: 'e-298a9b0c-1d2e', state: 'closed', reached: { verified: '2026-08-22T15:46:40.000Z' } }),
      ],
    },
    'POST /api/privacy/preview': {
      sources: [
        {
          ...{ sourceIdentifier: source, sourceName: 'Corner shop' },
          rows: { events: 31_670, identifies: 12, users: 1, push_devices: 2 },
        },
        { sourceIdentifier: 'Zz9yXx8wVv7u', sourceName: hostile, rows: { events: 7 } },
      ],
      ...{ found: 2, emptySources: ['Warehouse', hostile], emptyCount: 10, erasures: [] },
      ids: { user: 1, anonymous: 3 },
      othersDevices: 1,
      rowsOfOthers: 2,
      rows: { events: 31_677, identifies: 12, users: 1, push_devices: 2 },
      hasAdRequestPaths: false,
      isSuppressed: false,
    },
    'POST /api/privacy/suppress': { changed: 4 },
    'POST /api/privacy/erasures': anErasure({ request: 'e-5c1d2e3f-4a5b' }),
  }) satisfies { [Op in Operation]?: Api[Op]['answer'] };
