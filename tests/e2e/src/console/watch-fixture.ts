import { type Api, type Operation, type ShownChange } from '@sluice/console-api';

const start = Date.UTC(2026, 10, 21, 6);
const at = (hour: number): string => new Date(start + hour * 3_600_000).toISOString();

const aChange = (id: string, change: Partial<ShownChange>): ShownChange => ({
  id,
  source: 'Ab3dEf6hIj9k',
  sourceName: 'Shop',
  event: 'order_completed',
  property: '',
  kind: 'stopped',
  began: at(48),
  found: at(49),
  ended: null,
  observed: 0,
  expectedLow: 310,
  expectedHigh: 420,
  typeBefore: '',
  type: '',
  since: 'app 4.2.1',
  mute: null,
  ...change,
});

/** Changes of each kind, one of a hostile client. */
const listChanges = (hostile: string): ShownChange[] => [
  aChange('1', {}),
  aChange('2', { event: hostile, kind: 'fell', observed: 98.4, since: `host ${hostile}`, sourceName: hostile }),
  aChange('3', {
    event: 'item_added',
    kind: 'type',
    property: hostile,
    observed: 0.25,
    typeBefore: 'number',
    type: 'text',
  }),
  aChange('4', { event: 'item_added', kind: 'vanished', property: 'coupon', observed: 0.02, expectedLow: 0.7 }),
  aChange('5', { event: '', kind: 'refused', observed: 0.124, expectedHigh: 0.01, since: '' }),
  aChange('6', {
    ...{ event: '', kind: 'clock', observed: 0.3, expectedHigh: 0.02, since: '' },
    mute: { source: 'Ab3dEf6hIj9k', event: '', until: at(90), reason: hostile, actor: 'ada' },
  }),
  aChange('7', { event: 'search', ended: at(60) }),
];

/** Answers about what changed. */
export const buildWatchAnswers = (hostile: string): { [Op in Operation]?: Api[Op]['answer'] } => {
  const changes = listChanges(hostile);
  const [change = aChange('1', {})] = changes;
  const hours = Array.from({ length: 72 }, (_, hour) => ({
    hour: at(hour),
    value: hour < 48 ? 360 + 40 * Math.round(Math.sin(hour / 4)) : 0,
    low: 310 + (hour % 5),
    high: 420 - (hour % 7),
  }));
  return {
    'GET /api/watch': { run: { judgedUntil: at(72), tookMs: 912, judged: 240, unknown: 12 }, changes },
    'GET /api/watch/:id': { change, hours, unit: 'messages' },
    'GET /api/canary': {
      ...{ since: '2026-03-03T09:00:00Z', judgedUntil: at(72), probes: 1_682_466, lost: 1, doubled: 0, late: 2 },
      ...{ refused: 12, inDoubt: 3, unjudged: 0, p99Ms: 1_400 },
      faults: [
        {
          ...{ series: '6f1f3f6e-9d1c-4f6e-8b7a-0f6f6f6f6f6f', number: 52_110, kind: 'lost', called: at(47) },
          ...{ found: at(48), arrived: null },
        },
      ],
    },
  };
};
