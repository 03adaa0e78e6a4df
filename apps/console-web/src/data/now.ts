import { type AnswerOf, downIn, type NowEvents, type Servers } from '@sluice/console-api';
import { useSyncExternalStore } from 'react';
import { CallError } from './call';
import { measureSince, thisMoment } from './clock';
import { queryClient, type Reading } from './use-api';

type Report = AnswerOf<'GET /api/status'>;

/** The state of this moment, as the stream of this tab sent it last. */
interface Now {
  readonly servers: Servers | undefined;
  readonly report: Report | undefined;
  /** Time at which the report came, milliseconds since 1970. */
  readonly readAt: number;
  /** Set while the stream is lost. */
  readonly error: CallError | null;
}

const lost = new CallError(0, { code: 'unreachable', message: 'The console is not responding. Retrying…' });
const isLate = new CallError(0, {
  code: 'unreachable',
  message: 'The console has not read the status since. It tries again.',
});
/**
 * Time without a word after which the stream counts as lost. The console sends one every four seconds; a connection to a
 * process that hangs, or through a tunnel that was dropped, never breaks by itself.
 */
const silenceMs = 10_000;
/** Age of a report after which its verdicts are no longer those of now. */
const oldMs = 20_000;
/**
 * Time between two looks at the clock. A timer that waits for the whole time stands still while a laptop sleeps: after
 * that, verdicts of an hour ago would stand there as those of now until it ends.
 */
const lookMs = 1000;
/** Pause before a stream that was refused is opened again. A browser waits for as long after one that broke. */
const againMs = 1000;

const nothing: Now = { servers: undefined, report: undefined, readAt: 0, error: null };
let now = nothing;
const listeners = new Set<() => void>();
let source: EventSource | undefined;
let again: ReturnType<typeof setTimeout> | undefined;
/** Moment of the newest word of the stream, or of its opening. */
let heard = thisMoment();
/** Moment of the newest report. */
let read = thisMoment();
let looks: ReturnType<typeof setInterval> | undefined;

function become(change: Partial<Now>): void {
  now = { ...now, ...change };
  for (const listener of listeners) listener();
}

function takeServers(servers: Servers): void {
  const before = now.servers;
  hear({ servers });
  // The pages still show the state before the change.
  if (before && downIn(before) !== downIn(servers)) void queryClient.invalidateQueries();
}

/** Reopens a stream that is silent, and says that a report is old. */
function look(): void {
  if (source && measureSince(heard) > silenceMs) {
    become({ error: lost });
    open();
  } else if (now.report && now.error === null && measureSince(read) > oldMs) become({ error: isLate });
}

/** Notes a word of the stream, which ends its loss. A report of before the loss says nothing about now. */
function hear(change: Partial<Now>): void {
  heard = thisMoment();
  const isStale = now.report !== undefined && measureSince(read) > silenceMs;
  become({ ...(now.error === lost && { error: isStale ? isLate : null }), ...change });
}

function takeReport(report: Report): void {
  read = thisMoment();
  hear({ report, readAt: Date.now(), error: null });
}

function open(): void {
  close();
  heard = thisMoment();
  const stream = new EventSource('/api/now');
  source = stream;
  const on = <Name extends keyof NowEvents>(name: Name, take: (data: NowEvents[Name]) => void): void =>
    stream.addEventListener(name, ({ data }: MessageEvent<string>) => take(JSON.parse(data) as NowEvents[Name]));
  stream.onerror = () => {
    become({ error: lost });
    if (stream.readyState !== EventSource.CLOSED) return;
    // The answer was not a stream: the session may have ended.
    void queryClient.invalidateQueries({ queryKey: ['GET /api/session'] });
    again = setTimeout(follow, againMs);
  };
  on('servers', takeServers);
  on('status', takeReport);
  on('end', ({ reason }) => {
    if (reason !== 'limit') void queryClient.invalidateQueries({ queryKey: ['GET /api/session'] });
    close();
    again = setTimeout(follow, againMs);
  });
}

function close(): void {
  clearTimeout(again);
  source?.close();
  source = undefined;
}

/** Keeps the stream open while the tab is seen and a part of the page follows it. */
function follow(): void {
  look();
  if (document.hidden || listeners.size === 0) close();
  else open();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (listeners.size === 1) {
    document.addEventListener('visibilitychange', follow);
    looks = setInterval(look, lookMs);
    follow();
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    // Nothing stays, because someone else may sign in.
    document.removeEventListener('visibilitychange', follow);
    close();
    clearInterval(looks);
    now = nothing;
  };
}

const useNow = (): Now => useSyncExternalStore(subscribe, () => now);

/** Reads which server is unreachable; the error is that of the console itself. */
export function useServers(): { servers: Servers | undefined; error: CallError | null } {
  const { servers, error } = useNow();
  return { servers, error };
}

/** Reads the report of the status, which is renewed every few seconds. */
export function useStatus(): Reading<Report> {
  const { report, readAt, error } = useNow();
  return { data: report, error, isPending: report === undefined, readAt, refetch: follow };
}
