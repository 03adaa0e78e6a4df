/** Result of the canary: docs/canary.md. Times are ISO 8601 UTC. */
export interface CanaryState {
  /** Call of the first probe; null before one was judged. */
  readonly since: string | null;
  /** Call of the last probe that was judged. */
  readonly judgedUntil: string | null;
  /** Probes that were answered 200 and judged. */
  readonly probes: number;
  readonly lost: number;
  readonly doubled: number;
  /** Probes that counted as lost and came after all. */
  readonly late: number;
  /** Probes that were answered otherwise, such as 503. */
  readonly refused: number;
  /** Probes whose answer never came. */
  readonly inDoubt: number;
  /** Probes of which too little was left to judge them. */
  readonly unjudged: number;
  /** Milliseconds from call to row that 99 % of the probes took at most; null without a row. */
  readonly p99Ms: number | null;
  /** The newest lost and doubled probes. */
  readonly faults: readonly CanaryFault[];
}

export interface CanaryFault {
  /** The gateway and its data folder. */
  readonly series: string;
  readonly number: number;
  readonly kind: 'lost' | 'doubled';
  /** Call of the probe, or of the next one that was stored. */
  readonly called: string;
  readonly found: string;
  /** When a lost one was stored after all. */
  readonly arrived: string | null;
}

const formatNumber = (count: number): string => count.toLocaleString('en-US');
const formatDay = (time: string): string =>
  new Date(time).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
const formatLatency = (ms: number): string => (ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`);

/** Says in one line what became of all probes. */
export function describeCanary({ since, probes, lost, doubled, p99Ms }: CanaryState): string {
  if (since === null) return 'no probe was judged yet; each is, some minutes after its call';
  const latency = p99Ms === null ? '' : `, p99 ${formatLatency(p99Ms)} from call to row`;
  return `since ${formatDay(since)}: ${formatNumber(probes)} ${probes === 1 ? 'probe' : 'probes'}, ${formatNumber(lost)} lost, ${formatNumber(doubled)} doubled${latency}`;
}
