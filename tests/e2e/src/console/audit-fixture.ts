import { type AuditEntry } from '@sluice/console-api';

/** An action in the console, and one at a terminal that failed. */
export const auditEntries: AuditEntry[] = [
  {
    id: '1',
    at: '2026-11-23T06:53:20.000Z',
    actor: 'ada',
    role: 'admin',
    face: 'console',
    origin: '127.0.0.1',
    operation: 'sources.create',
    object: 'Ab3dEf6hIj9k',
    details: '{"name":"Corner shop"}',
    outcome: 'done',
    error: '',
  },
  {
    id: '2',
    at: '2026-11-23T06:51:40.000Z',
    actor: 'root',
    role: '',
    face: 'operator',
    origin: 'build-1',
    operation: 'dead-letters.replay',
    object: 'tracking.track.v1',
    details: '{}',
    outcome: 'failed',
    error: 'Kafka is unreachable',
  },
];
