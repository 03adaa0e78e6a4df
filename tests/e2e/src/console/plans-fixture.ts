import { type Api, type Operation, type PlanComparison, type PlanImport, type PlanUse } from '@sluice/console-api';

const comparison = (hostile: string): PlanComparison => ({
  settings: [{ path: 'mode', before: 'observe', after: 'drop' }],
  events: [
    {
      event: 'order_completed',
      kind: 'changed',
      changes: [
        { path: 'total', before: 'string, optional', after: `number, required: ${hostile}` },
        { path: 'coupon', before: 'string, optional', after: null },
      ],
      found: 2,
    },
    { event: 'login', kind: 'added', changes: [{ path: '', before: null, after: 'any properties' }], found: 1 },
    { event: hostile, kind: 'removed', changes: [{ path: '', before: 'any properties', after: null }], found: 1 },
  ],
  added: 1,
  removed: 1,
  changed: 1,
});

const anImport = (hostile: string): PlanImport => ({
  version: 4,
  created: ['Ab3dEf6hIj9k'],
  unchanged: [],
  before: 3,
  comparison: comparison(hostile),
});

const uses = (hostile: string): PlanUse[] => [
  {
    ...{ sourceIdentifier: 'Ab3dEf6hIj9k', sourceName: 'Corner shop', state: 'candidate', mode: 'observe' },
    ...{ versions: [2], candidate: 3, activatedAt: '2026-11-20T06:00:00.000Z' },
  },
  {
    ...{ sourceIdentifier: 'Zz9yXx8wVv7u', sourceName: hostile, state: 'active', mode: 'drop' },
    ...{ versions: [3], candidate: null, activatedAt: '2026-11-21T06:00:00.000Z' },
  },
  {
    ...{ sourceIdentifier: 'Qq1wEe2rTt3y', sourceName: 'Warehouse', state: 'inactive', mode: null },
    ...{ versions: [], candidate: null, activatedAt: null },
  },
];

/** Answers for one version of a plan. */
const versionAnswers = (hostile: string) =>
  ({
    'GET /api/sources/:id/plans/versions/:version': {
      version: 3,
      description: `With tax ${hostile}`,
      uses: uses(hostile),
      mode: null,
      additionalEvents: false,
      traits: { name: '', description: '', rules: ['no other properties'], properties: 2, required: 0 },
      events: [
        {
          name: 'order_completed',
          description: `تکمیل سفارش ${hostile}`,
          rules: ['mode observe', 'no other properties'],
          properties: 4,
          required: 1,
        },
        { name: 'login', description: '', rules: [], properties: 0, required: 0 },
      ],
      found: 2,
      all: 2,
    },
    'GET /api/sources/:id/plans/versions/:version/properties': {
      properties: [
        { path: 'total', types: ['number'], isRequired: true, rules: ['at least 0'], description: hostile },
        { path: 'items', types: ['array'], isRequired: false, rules: [], description: '' },
        { path: 'items[].price', types: ['number', 'integer'], isRequired: false, rules: [], description: '' },
        { path: 'note', types: [], isRequired: false, rules: [`one of "${hostile}"`], description: '' },
      ],
    },
    'GET /api/sources/:id/plans/versions/:version/file': { version: 3, sources: ['Ab3dEf6hIj9k'], events: {} },
    'GET /api/sources/:id/plans/comparison': comparison(hostile),
    'POST /api/sources/:id/plans/check': anImport(hostile),
    'POST /api/sources/:id/plans': anImport(hostile),
  }) satisfies { [Op in Operation]?: Api[Op]['answer'] };

/** Answers for the plans of a source. @param hostile a text with markup that a page must show as text */
export const planAnswers = (hostile: string) =>
  ({
    'GET /api/sources/:id/plans': {
      plans: [
        { version: 3, description: `With tax ${hostile}`, events: 13, state: 'candidate' },
        { version: 2, description: 'The shop', events: 12, state: 'active' },
        { version: 1, description: '', events: 9, state: 'inactive' },
      ],
      found: 3,
      all: 3,
      versions: [2],
      mode: 'observe',
      candidate: 3,
    },
    'GET /api/sources/:id/plans/violations': {
      violations: [
        {
          event: 'order_completed',
          rule: 'wrong_type',
          path: `items[].${hostile}`,
          messages: 1_204,
          people: 611,
          share: 0.125,
          firstSeen: '2026-11-20T06:00:00.000Z',
          lastSeen: '2026-11-23T07:00:00.000Z',
          requestId: '019aaf00-1c2d-7e3f-8a4b-5c6d7e8f9a0b',
        },
      ],
      found: 1,
    },
    'GET /api/sources/:id/plans/coverage': {
      events: [
        { event: 'order_completed', messages: 9_632, planned: 9_632, violating: 1_204 },
        { event: '', messages: 40, planned: 0, violating: 0 },
      ],
      found: 2,
    },
    ...versionAnswers(hostile),
    'GET /api/sources/:id/plans/preview': {
      differences: [{ path: 'events.order_completed.properties.total.type', before: '"string"', after: '"number"' }],
      candidateDifferences: [{ path: 'events.order_completed.required', before: '["total"]', after: '[]' }],
      observation: null,
    },
    'PUT /api/sources/:id/plans': { differences: [], candidateDifferences: [], observation: null },
  }) satisfies { [Op in Operation]?: Api[Op]['answer'] };
