import { formatCount } from '../../format-count.js';
import { type DoctorCheck, type Examination } from '../examination.js';
import { type Finding, well } from '../finding.js';
import { joinNames } from '../join-names.js';
import { selectFrom } from '../select-rows.js';

const warnMs = 5_000;
const failMs = 60_000;
const askMs = 5_000;

/** The time by which the clock of a part is ahead of the clock here. */
export interface ClockOffset {
  readonly part: string;
  readonly offsetMs: number;
}

export const clocks: DoctorCheck = {
  check: 'clocks',
  tested: 'the clocks of Kafka, ClickHouse, gateways and consumers agree with the one here',
  run: async (examination) => judgeClocks(await readClocks(examination)),
};

export function judgeClocks(offsets: readonly ClockOffset[]): Finding {
  const wrong = offsets.filter(({ offsetMs }) => Math.abs(offsetMs) > warnMs);
  if (wrong.length === 0) {
    const largest = Math.max(0, ...offsets.map(({ offsetMs }) => Math.abs(offsetMs)));
    return well(`${formatCount(offsets.length, 'clock', 'clocks')}, at most ${(largest / 1_000).toFixed(1)} s apart`);
  }
  return {
    verdict: wrong.some(({ offsetMs }) => Math.abs(offsetMs) > failMs) ? 'fails' : 'attention',
    found: joinNames(wrong.map(({ part, offsetMs }) => `${part} is ${describeOffset(offsetMs)}`)),
    meaning:
      'Arrival times, retention, quotas of a day and tokens of push follow these clocks. If all differ, it is the one here that is wrong.',
    action: 'Let NTP keep the clocks: docs/operations.md#when-a-clock-jumps',
  };
}

const describeOffset = (ms: number): string => `${(Math.abs(ms) / 1_000).toFixed(0)} s ${ms > 0 ? 'ahead' : 'behind'}`;

async function readClocks({ sends, servers, question }: Examination): Promise<ClockOffset[]> {
  const offsets: ClockOffset[] = [];
  const brokerOffsets = (await sends())
    .flatMap(({ brokerTime, localTime }) => (brokerTime === undefined ? [] : [brokerTime - localTime]))
    .sort((a, b) => a - b);
  const median = brokerOffsets[Math.floor(brokerOffsets.length / 2)];
  if (median !== undefined) offsets.push({ part: 'the leader of the scratch topic', offsetMs: median });
  for (const server of servers.all) {
    const startedAt = Date.now();
    const [row] = await selectFrom<{ time: number }>(server, 'SELECT toUnixTimestamp64Milli(now64(3)) AS time');
    const part = `ClickHouse${server.name === '' ? '' : ` of shard ${server.name}`}`;
    if (row) offsets.push({ part, offsetMs: row.time - (startedAt + Date.now()) / 2 });
  }
  for (const url of [...question.gateways, ...question.consumers]) offsets.push(...(await readProcessClock(url)));
  return offsets;
}

/** The clock of a process, by the header `Date` of its answer; none for a process that does not answer. */
async function readProcessClock(url: string): Promise<ClockOffset[]> {
  const startedAt = Date.now();
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(askMs) });
    await response.arrayBuffer();
    const time = Date.parse(response.headers.get('date') ?? '');
    // The header has whole seconds.
    return Number.isNaN(time) ? [] : [{ part: new URL(url).host, offsetMs: time + 500 - (startedAt + Date.now()) / 2 }];
  } catch {
    // The check of processes says why.
    return [];
  }
}
