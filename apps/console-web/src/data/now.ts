import { type AnswerOf, downIn, type NowEvents, type Servers } from '@sluice/console-api';
import { useSyncExternalStore } from 'react';
import { CallError } from './call';
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
/** Pause before a stream that was refused is opened again. A browser waits for as long after one that broke. */
const againMs = 1000;

const nothing: Now = { servers: undefined, report: undefined, readAt: 0, error: null };
let now = nothing;
const listeners = new Set<() => void>();
let source: EventSource | undefined;
let again: ReturnType<typeof setTimeout> | undefined;

function become(change: Partial<Now>): void {
  now = { ...now, ...change };
  for (const listener of listeners) listener();
}

function takeServers(servers: Servers): void {
  const before = now.servers;
  become({ servers });
  // The pages still show the state before the change.
  if (before && downIn(before) !== downIn(servers)) void queryClient.invalidateQueries();
}

function open(): void {
  close();
  const stream = new EventSource('/api/now');
  source = stream;
  const on = <Name extends keyof NowEvents>(name: Name, take: (data: NowEvents[Name]) => void): void =>
    stream.addEventListener(name, ({ data }: MessageEvent<string>) => take(JSON.parse(data) as NowEvents[Name]));
  stream.onopen = () => become({ error: null });
  stream.onerror = () => {
    become({ error: lost });
    if (stream.readyState !== EventSource.CLOSED) return;
    // The answer was not a stream: the session may have ended.
    void queryClient.invalidateQueries({ queryKey: ['GET /api/session'] });
    again = setTimeout(follow, againMs);
  };
  on('servers', takeServers);
  on('status', (report) => become({ report, readAt: Date.now() }));
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
  if (document.hidden || listeners.size === 0) close();
  else open();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (listeners.size === 1) {
    document.addEventListener('visibilitychange', follow);
    follow();
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    // Nothing stays, because someone else may sign in.
    document.removeEventListener('visibilitychange', follow);
    close();
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
