import { type StatusReport } from '@sluice/console-api';
import { expect, it } from 'vitest';
import { Problems } from './problems.js';
import { emptyReport } from './status-cache.js';
import { Steady } from './steady.js';

const ok = { verdict: 'ok', summary: 'as read' } as const;
const time = (seconds: number): string => new Date(Date.parse('2026-11-29T03:00:00Z') + seconds * 1_000).toISOString();
const aReport = (seconds: number, change: Partial<StatusReport> = {}): StatusReport => ({
  ...emptyReport(ok),
  at: time(seconds),
  ...change,
});
const late = (since: number): StatusReport['data'] => ({
  verdict: 'late',
  summary: 'tracking.track.v1 is late',
  topics: [aTopic(since)],
});
const aTopic = (since: number | null): StatusReport['data']['topics'][number] => ({
  topic: 'tracking.track.v1',
  partitions: 1,
  retentionDays: 7,
  consumer: 'tracking',
  members: 1,
  lag: 1,
  behind: [],
  lateSince: since === null ? null : time(since),
});
const frozen = (app: string): StatusReport['consumers'] => ({
  verdict: 'unreachable',
  summary: 'no answer',
  consumers: [{ url: 'http://c', name: `${app} at c:9000`, unreachable: 'no answer', stuck: [], lostOffsets: 0 }],
});

it('folds late data under the consumer that holds it up, with the time of the oldest message', () => {
  const [problem, ...others] = new Problems().of(aReport(100, { data: late(20), consumers: frozen('tracking') }));

  expect(problem).toMatchObject({
    part: 'consumers',
    since: time(20),
    consequences: [{ part: 'data', verdict: 'late' }],
  });
  expect(others).toEqual([]);
});

it('folds data that waits for a few seconds only under the consumer that is silent', () => {
  const held = new Steady().of(aReport(30, { data: { ...ok, topics: [aTopic(22)] }, consumers: frozen('tracking') }));
  expect(new Problems().of(held)).toMatchObject([
    { part: 'consumers', consequences: [{ part: 'data', summary: 'messages wait to be stored' }] },
  ]);
});

it('keeps late data a problem of its own when another consumer is down', () => {
  const problems = new Problems().of(aReport(100, { data: late(20), consumers: frozen('catalog') }));

  expect(problems.map(({ part, consequences }) => [part, consequences])).toEqual([
    ['consumers', undefined],
    ['data', undefined],
  ]);
});

it('says of a consumer that is back that it joins, and of what waited for it that it is being stored', () => {
  const idle = { ...late(20), topics: [{ ...aTopic(20), members: 0 }] };
  const answering: StatusReport['consumers'] = {
    ...ok,
    consumers: [{ url: 'http://c', name: 'tracking at c:9000', unreachable: null, stuck: [], lostOffsets: 0 }],
  };
  const adviceOn = (change: Partial<StatusReport>): string | undefined =>
    new Problems().of(aReport(100, change))[0]?.action;
  expect(adviceOn({ data: idle, consumers: answering })).toContain('It joins its group within a minute');
  expect(adviceOn({ data: idle })).toContain('See whether a process of it runs');
  expect(adviceOn({ data: { ...late(20), heldUpUntil: time(90) } })).toContain('Wait: this ends by itself');
  // Something that came later waits as well, or the recovery was long ago.
  expect(adviceOn({ data: { ...late(95), heldUpUntil: time(90) } })).toContain('See on the page Pipeline');
  expect(adviceOn({ data: { ...late(-400), heldUpUntil: time(-300) } })).toContain('See on the page Pipeline');
});

it('asks nobody to repair what an outage left, and what is tried again by itself', () => {
  const stuckBy = (...codes: string[]): string | undefined => {
    const [consumer] = frozen('tracking').consumers;
    const stuck = codes.map((code) => ({ topic: 't', partition: 0, what: 'block', code, seconds: 45 }));
    const consumers = consumer ? [{ ...consumer, unreachable: null, stuck }] : [];
    const report = aReport(100, { consumers: { verdict: 'attention', summary: 'stuck', consumers } });
    return new Problems().of(report)[0]?.action;
  };
  expect(stuckBy('no_answer', 'ECONNREFUSED')).toContain('Wait: it is tried again');
  expect(stuckBy('no_answer', 'UNKNOWN_TABLE')).toContain('The reason says what to fix');
});

it('distinguishes a consumer that hangs from one that is gone', () => {
  const [silent] = frozen('tracking').consumers;
  const consumers = (change: object): StatusReport['consumers'] => ({
    ...frozen('tracking'),
    consumers: silent ? [{ ...silent, ...change }] : [],
  });
  const adviceOn = (change: object): string | undefined =>
    new Problems().of(aReport(100, { consumers: consumers(change) }))[0]?.action;
  expect(adviceOn({ isSilent: true })).toContain('restart the process');
  expect(adviceOn({ unreachable: 'connect ECONNREFUSED' })).toContain('Start it again');
});

it('counts on other gateways only where there are some that answer', () => {
  const aGateway = { url: 'http://g', version: null, requests: 0, refused: [] };
  const noSpool = { spoolMessages: 0, spoolBytes: 0, spoolOldestAgeSeconds: 0, spoolRefused: 0 };
  const meaningOf = (...answers: (string | null)[]): string | undefined => {
    const gateways = answers.map((unreachable) => ({ ...aGateway, ...noSpool, unreachable }));
    const report = aReport(0, { gateways: { verdict: 'unreachable', summary: 'no answer', gateways } });
    return new Problems().of(report)[0]?.meaning;
  };
  expect(meaningOf('no answer', null)).toContain('the other gateways accept events');
  expect(meaningOf('no answer', 'no answer')).toContain('No gateway answers');
});

it('takes the time of dead letters from the oldest untreated one, in each console', () => {
  const topics = [{ topic: 't', letters: 2, newest: time(90), oldestUntreated: time(10), reasons: [] }];
  const report = aReport(100, { deadLetters: { verdict: 'attention', summary: '2 untreated', topics } });

  expect([new Problems(), new Problems()].map((one) => one.of(report)[0]?.since)).toEqual([time(10), time(10)]);
});

it('names a view of others as a problem of its own, also while ClickHouse is down, with what to do', () => {
  const foreignViews = [{ view: 'analysts.totals', table: 'events', code: 'CANNOT_PARSE_TEXT' }];
  const consumers: StatusReport['consumers'] = {
    verdict: 'attention',
    summary:
      'analysts.totals, a view of others on events, fails with CANNOT_PARSE_TEXT: docs/runbooks.md#foreignviewfails',
    consumers: [{ url: 'http://c', unreachable: null, stuck: [], lostOffsets: 0, foreignViews }],
  };
  const clickhouse = { ...emptyReport(ok).clickhouse, verdict: 'unreachable' as const, summary: 'no answer' };
  expect(new Problems().of(aReport(0, { consumers, clickhouse }))).toMatchObject([
    { part: 'clickhouse' },
    { part: 'consumers', summary: consumers.summary, runbook: 'docs/runbooks.md#foreignviewfails' },
  ]);
});

it('remembers since when through an unknown state and one good look, and forgets after two', () => {
  const problems = new Problems();
  const migrations = { applied: 0, pending: [], changed: [], differences: [] };
  const sinceAt = (seconds: number, verdict: 'ok' | 'attention' | 'unknown'): string | null | undefined =>
    problems.of(aReport(seconds, { migrations: { verdict, summary: 'as read', ...migrations } }), time(seconds))[0]
      ?.since;

  expect(sinceAt(0, 'attention')).toBe(time(0));
  expect(sinceAt(4, 'unknown')).toBe(time(0));
  expect(sinceAt(8, 'attention')).toBe(time(0));
  expect(sinceAt(12, 'ok')).toBeUndefined();
  expect(sinceAt(16, 'attention')).toBe(time(0));
  expect([sinceAt(20, 'ok'), sinceAt(24, 'ok')]).toEqual([undefined, undefined]);
  expect(sinceAt(28, 'attention')).toBe(time(28));
});

it('makes one problem of everything that is not known for one reason', () => {
  const [problem, ...others] = new Problems().of(emptyReport({ verdict: 'unknown', summary: 'not known yet' }));

  expect(others).toEqual([]);
  expect(problem).toMatchObject({ verdict: 'unknown', action: '', runbook: '' });
  expect(problem?.consequences).toHaveLength(7);
});

it('believes a failed reading of a server only when the next one fails too', () => {
  const steady = new Steady();
  const failed = (seconds: number): StatusReport =>
    aReport(seconds, { kafka: { verdict: 'unreachable', summary: 'no answer', brokers: 0 } });

  expect(steady.of(aReport(0)).kafka.verdict).toBe('ok');
  expect(steady.of(failed(4)).kafka.verdict).toBe('ok');
  expect(steady.of(failed(8)).kafka.verdict).toBe('unreachable');
  expect(steady.of(aReport(12)).kafka.verdict).toBe('ok');
  expect(new Steady().of(failed(0)).kafka.verdict).toBe('unreachable');
});

it('says nothing is OK between the silence of a consumer and the end of its backlog', () => {
  const steady = new Steady();
  const waiting = (since: number | null): StatusReport['data'] => ({ ...ok, topics: [aTopic(since)] });
  const verdictAt = (seconds: number, change: Partial<StatusReport>): string =>
    steady.of(aReport(seconds, change)).data.verdict;

  expect(verdictAt(0, { data: waiting(-2) })).toBe('ok');
  expect(verdictAt(6, { data: waiting(2), consumers: frozen('tracking') })).toBe('ok');
  expect(verdictAt(10, { data: waiting(2), consumers: frozen('tracking') })).toBe('attention');
  expect(verdictAt(14, { data: waiting(1) })).toBe('attention');
  expect(verdictAt(18, { data: waiting(17) })).toBe('ok');
});
