import { type TopicDurability } from '@sluice/kafka';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { appRights } from './app-rights.js';
import { judgeDisk } from './checks/clickhouse-disk.js';
import { judgeSettings } from './checks/clickhouse-settings.js';
import { judgeTtls } from './checks/clickhouse-ttls.js';
import { judgeWindows } from './checks/clickhouse-windows.js';
import { judgeClocks } from './checks/clocks.js';
import { judgeDurability } from './checks/kafka-durability.js';
import { judgeRetention } from './checks/kafka-retention.js';
import { judgeSends } from './checks/kafka-time.js';
import { judgeRooms } from './checks/spool-disk.js';
import { type Finding, worstVerdict } from './finding.js';
import {
  isLeftover,
  makeRunName,
  makeScratchNames,
  runLimitMs,
  scratchPrefix,
  scratchTablePrefix,
} from './scratch-names.js';
import { type TableDeclaration } from './table-declarations.js';

const weekMs = 7 * 24 * 3_600_000;
const aTopic = (change: Partial<TopicDurability> = {}): TopicDurability => ({
  topic: 'tracking.track.v1',
  replicas: 3,
  minInSync: 2,
  hasUncleanElection: false,
  retentionMs: weekMs,
  retentionBytes: undefined,
  ...change,
});
const aTable = (change: Partial<TableDeclaration> = {}): TableDeclaration => ({
  table: 'events',
  settings: new Map([['replicated_deduplication_window', '10000']]),
  ttl: undefined,
  projections: new Set(['newest']),
  ...change,
});
const compared = (change: Partial<TableDeclaration>) => [{ declared: aTable(), present: aTable(change) }];
const withSettings = (...entries: [string, string][]) => compared({ settings: new Map(entries) });
const aSend = (tookMs: number) => ({ tookMs, localTime: 0, brokerTime: undefined });

const cases: [string, Finding, Finding['verdict'], string][] = [
  [
    'a healthy cluster',
    judgeDurability(3, [aTopic()]),
    'ok',
    '3 brokers, at least 2 in-sync copies, no unclean election',
  ],
  [
    'no min.insync.replicas',
    judgeDurability(3, [aTopic({ minInSync: 1 })]),
    'fails',
    'min.insync.replicas is 1 for tracking.track.v1',
  ],
  [
    'unclean election',
    judgeDurability(3, [aTopic({ hasUncleanElection: true })]),
    'fails',
    'unclean.leader.election.enable is on for tracking.track.v1',
  ],
  [
    'unclean election on one broker',
    judgeDurability(1, [aTopic({ replicas: 1, hasUncleanElection: true })]),
    'fails',
    'unclean.leader.election.enable is on for tracking.track.v1',
  ],
  [
    'one broker',
    judgeDurability(1, [aTopic({ replicas: 1, minInSync: 1 })]),
    'attention',
    '1 broker, 1 copy of each message',
  ],
  [
    'all copies in sync',
    judgeDurability(3, [aTopic({ minInSync: 3 })]),
    'attention',
    'all copies must be in sync for tracking.track.v1',
  ],
  ['no topics', judgeDurability(3, []), 'unknown', 'there are no topics'],
  [
    'retention',
    judgeRetention(72, [aTopic()], [aTopic({ retentionMs: undefined })]),
    'ok',
    'at least 168 h, for outages of 72 h',
  ],
  [
    'short retention',
    judgeRetention(72, [aTopic({ retentionMs: 3_600_000 })], []),
    'fails',
    'tracking.track.v1 (1 h) keep messages for less than 72 h',
  ],
  [
    'a short retention that was chosen',
    judgeRetention(72, [aTopic({ retentionMs: 3_600_000 })], [], () => true),
    'attention',
    'tracking.track.v1 (1 h) keep messages for less than 72 h',
  ],
  [
    'bounded bytes',
    judgeRetention(72, [aTopic({ retentionBytes: 1 })], []),
    'attention',
    'retention.bytes bounds tracking.track.v1',
  ],
  ['fast sends', judgeSends(Array.from({ length: 100 }, () => aSend(7))), 'ok', 'p99 of 100 sends: 7 ms'],
  ['slow sends', judgeSends(Array.from({ length: 100 }, () => aSend(700))), 'attention', 'p99 of 100 sends: 700 ms'],
  ['late sends', judgeSends(Array.from({ length: 100 }, () => aSend(2_400))), 'fails', 'p99 of 100 sends: 2400 ms'],
  ['clocks', judgeClocks([{ part: 'ClickHouse', offsetMs: -400 }]), 'ok', '1 clock, at most 0.4 s apart'],
  [
    'a clock ten minutes off',
    judgeClocks([{ part: 'ClickHouse', offsetMs: -600_000 }]),
    'fails',
    'ClickHouse is 600 s behind',
  ],
  [
    'a clock some seconds off',
    judgeClocks([{ part: 'gateway:9000', offsetMs: 8_000 }]),
    'attention',
    'gateway:9000 is 8 s ahead',
  ],
  [
    'a window of 1',
    judgeWindows(withSettings(['replicated_deduplication_window', '1']), ''),
    'fails',
    'the window of tokens is too small for events (1 and not 10000)',
  ],
  [
    'no window',
    judgeWindows(withSettings(), ' at shard b'),
    'fails',
    'the window of tokens is too small for events (0 and not 10000) at shard b',
  ],
  [
    'a foreign TTL',
    judgeTtls(compared({ ttl: 'toDateTime(received_at) + toIntervalDay(30)' }), undefined, ''),
    'fails',
    'a TTL that neither a migration nor TABLE_TTL_DAYS made: events (toDateTime(received_at) + toIntervalDay(30))',
  ],
  [
    'a TTL of another form',
    judgeTtls(compared({ ttl: 'timestamp + toIntervalDay(1)' }), undefined, ''),
    'fails',
    'a TTL that neither a migration nor TABLE_TTL_DAYS made: events (timestamp + toIntervalDay(1))',
  ],
  [
    'a TTL by TABLE_TTL_DAYS',
    judgeTtls(compared({ ttl: 'toDateTime(received_at) + toIntervalDay(400)' }), new Map([['events', 400]]), ''),
    'ok',
    'no TTL that Sluice did not make',
  ],
  [
    'a foreign setting and projection',
    judgeSettings(
      [
        {
          declared: aTable(),
          present: aTable({
            settings: new Map([['ttl_only_drop_parts', '1']]),
            projections: new Set(['newest', 'mine']),
          }),
        },
      ],
      '',
    ),
    'attention',
    'events: ttl_only_drop_parts is 1 and not the default, events: projection mine',
  ],
  ['a full disk of ClickHouse', judgeDisk('disk default', 0.01), 'fails', 'disk default: 1 % free'],
  [
    'a spool disk with 1 % left',
    judgeRooms([{ disk: 'gateway at a', bytes: 0.01, files: 0.9 }], 1),
    'fails',
    'gateway at a: 1 % of its disk and 90 % of its inodes are free',
  ],
  [
    'a spool disk without inodes',
    judgeRooms([{ disk: 'gateway at a', bytes: 0.9, files: 0 }], 1),
    'fails',
    'gateway at a: 90 % of its disk and 0 % of its inodes are free',
  ],
  [
    'a spool disk',
    judgeRooms([{ disk: 'gateway at a', bytes: 0.5, files: 0.9 }], 1),
    'ok',
    '1 disk, at least 50 % free',
  ],
];

it.each(cases)('%s: %o', (_, finding, verdict, found) => {
  expect(finding).toMatchObject({ verdict, found });
  // Whoever reads that something is not well learns what to do.
  if (verdict !== 'ok') expect(finding.action).not.toBe('');
});

it('the worst verdict is that of the report; what is unknown is worse than what needs attention', () => {
  expect(worstVerdict([])).toBe('ok');
  expect(worstVerdict([{ verdict: 'attention' }, { verdict: 'unknown' }])).toBe('unknown');
  expect(worstVerdict([{ verdict: 'unknown' }, { verdict: 'fails' }, { verdict: 'ok' }])).toBe('fails');
});

it('knows what killed runs left, and leaves the data of a run that goes on, and of others, alone', () => {
  const now = 1_900_000_000_000;
  const name = (startedAt: number, host: string, pid: number) => `${scratchPrefix}${makeRunName(startedAt, host, pid)}`;
  const isOver = (topic: string) => isLeftover(topic, scratchPrefix, now, 'here');
  expect(isOver(name(now - runLimitMs - 1_000, 'there', 7))).toBe(true);
  expect(isOver(name(now - 5_000, 'there', 7))).toBe(false);
  expect(isOver(name(now - 5_000, 'here', process.ppid))).toBe(false);
  expect(isOver(name(now - 5_000, 'here', 2 ** 30))).toBe(true);
  expect([`${scratchPrefix}mine`, 'tracking.track.v1'].map(isOver)).toEqual([false, false]);
  const { table } = makeScratchNames(makeRunName(now - runLimitMs - 1_000), '');
  expect(isLeftover(`${table}_tokens`, scratchTablePrefix, now)).toBe(true);
  expect(isLeftover('doctor_visits', scratchTablePrefix, now)).toBe(false);
});

it('knows the rights of docs/rights.md', () => {
  const page = readFileSync(new URL('../../../../docs/rights.md', import.meta.url), 'utf8');
  const [, clickhouse = ''] = page.split('\n## ClickHouse\n');
  const [statements = ''] = clickhouse.split('\n### On a cluster\n');
  const documented = [...statements.matchAll(/^GRANT (.+) TO (\w+);$/gm)].map(([, right, user]) => `${user}: ${right}`);
  const known = Object.entries(appRights).flatMap(([app, rights]) =>
    rights.map((right) => `${app.replace('-', '_')}: ${right}`),
  );
  expect(known.toSorted()).toEqual(documented.toSorted());
});
