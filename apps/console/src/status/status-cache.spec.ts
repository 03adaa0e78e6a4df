import { type Servers, type StatusReport } from '@sluice/console-api';
import { readStatus } from '@sluice/operations';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type ConsoleConfig } from '../config.js';
import { type ServerWatch } from '../servers/servers.js';
import { emptyReport, StatusCache } from './status-cache.js';

vi.mock('@sluice/operations', async (original) => ({ ...(await original<object>()), readStatus: vi.fn() }));

const here = { isUnreachable: false, since: null, reason: null };
let current: Servers;
let backAt: number;
let cache: StatusCache;

beforeEach(async () => {
  vi.useFakeTimers();
  current = { kafka: here, clickhouse: here };
  backAt = -Infinity;
  const config = { GATEWAY_METRICS_URLS: 'http://gateway', CONSUMER_METRICS_URLS: 'http://consumer' } as ConsoleConfig;
  cache = new StatusCache(config, {
    get current() {
      return current;
    },
    backAt: (name) => (name === 'clickhouse' ? backAt : -Infinity),
  } as ServerWatch);
  vi.mocked(readStatus).mockResolvedValueOnce(emptyReport({ verdict: 'ok', summary: 'as read' }));
  await cache.report();
  // All later reads take for ever.
  vi.mocked(readStatus).mockReturnValue(new Promise(() => undefined));
});
afterEach(() => {
  vi.useRealTimers();
});

const partsOf = ({ problems }: StatusReport): unknown => problems?.[0]?.consequences?.map(({ part }) => part);

async function reportAfter(ms: number, timeoutMs: number): Promise<StatusReport> {
  vi.advanceTimersByTime(ms);
  const report = cache.report();
  await vi.advanceTimersByTimeAsync(timeoutMs);
  return report;
}

it('shows a report of the last seconds while the next one takes long', async () => {
  expect((await reportAfter(9_000, 200)).kafka.summary).toBe('as read');
});

it('does not show a report of minutes ago as that of now', async () => {
  expect((await reportAfter(300_000, 8_000)).kafka.summary).toBe('not known yet');
});

it('shows what was known before a server was unreachable, at once', async () => {
  current = { ...current, kafka: { isUnreachable: true, since: '2026-01-01T00:00:01.000Z', reason: 'no_answer' } };
  const { kafka, gateways } = await reportAfter(300_000, 1_500);
  expect(kafka).toMatchObject({ verdict: 'unreachable', summary: 'does not answer: no_answer' });
  expect(gateways.summary).toContain('while Kafka does not answer');
});

it('calls nothing OK that waits for a server that does not answer, and says what to do', async () => {
  const gone = { isUnreachable: true, since: '2026-01-01T00:00:01.000Z', reason: 'no answer' };
  current = { kafka: here, clickhouse: gone };
  const one = await reportAfter(1_000, 200);
  expect([one.clickhouse.verdict, one.data.verdict, one.consumers.verdict, one.migrations.verdict]).toEqual([
    'unreachable',
    'attention',
    'attention',
    'unknown',
  ]);
  current = { kafka: gone, clickhouse: here };
  const other = await reportAfter(1_000, 200);
  expect([other.kafka.verdict, other.data.verdict, other.deadLetters.verdict]).toEqual([
    'unreachable',
    'unknown',
    'unknown',
  ]);
  expect([other.gateways.verdict, other.consumers.verdict]).toEqual(['attention', 'attention']);
  // Each outage is one problem with one advice; all else follows from it.
  expect(one.problems).toMatchObject([
    { part: 'clickhouse', since: gone.since, runbook: 'docs/runbooks.md#insertsfailing' },
  ]);
  expect(partsOf(one)).toEqual(['consumers', 'data', 'migrations', 'sources']);
  expect(other.problems).toMatchObject([{ part: 'kafka', runbook: 'docs/runbooks.md#publishfailing' }]);
  expect(partsOf(other)).toEqual(['gateways', 'consumers', 'data', 'deadLetters', 'sources']);
});

it('calls processes whose addresses are not set unknown, not OK', async () => {
  vi.mocked(readStatus).mockResolvedValue(emptyReport({ verdict: 'ok', summary: 'not asked' }));
  const config = { GATEWAY_METRICS_URLS: '', CONSUMER_METRICS_URLS: '' } as ConsoleConfig;
  const { gateways, consumers, problems } = await new StatusCache(config, {
    current,
    backAt: () => -Infinity,
  } as unknown as ServerWatch).report();
  expect([gateways.verdict, consumers.verdict]).toEqual(['unknown', 'unknown']);
  expect(gateways.summary).toContain('GATEWAY_METRICS_URLS');
  expect(problems).toHaveLength(2);
});

it('calls nothing OK that was read during an outage, until it is read again after it', async () => {
  backAt = performance.now() + 1_000;
  const before = await reportAfter(1_000, 1_500);
  const parts = ['clickhouse', 'migrations', 'data', 'consumers', 'deadLetters'] as const;
  expect(parts.map((part) => before[part].verdict)).toEqual(parts.map(() => 'unknown'));
  expect(before.clickhouse.summary).toBe('not known yet: ClickHouse has just answered again');
  expect([before.kafka.verdict, before.gateways.verdict]).toEqual(['ok', 'ok']);

  // A reading that began during the outage does not count, the next one does.
  const fresh = new StatusCache(
    { GATEWAY_METRICS_URLS: 'http://gateway', CONSUMER_METRICS_URLS: 'http://consumer' } as ConsoleConfig,
    { current, backAt: () => backAt } as unknown as ServerWatch,
  );
  const ok = emptyReport({ verdict: 'ok', summary: 'read' });
  backAt = performance.now() + 100;
  vi.mocked(readStatus).mockResolvedValueOnce(ok);
  expect((await fresh.report()).data.verdict).toBe('unknown');
  vi.advanceTimersByTime(200);
  vi.mocked(readStatus).mockResolvedValueOnce(ok);
  expect((await fresh.report()).data.verdict).toBe('ok');
});
