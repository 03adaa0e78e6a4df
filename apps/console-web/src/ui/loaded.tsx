import { type ReactNode } from 'react';
import { toServerTime } from '../data/clock';
import { Button } from './button';
import { Empty } from './empty';
import { Icon } from './icon';
import { Skeleton } from './skeleton';
import { Time } from './zone';
import './loaded.css';

interface Reading<Data> {
  data: Data | undefined;
  error: Error | null;
  /** Whether the answer to this question is awaited; `data` may be that to the question before. */
  isPending: boolean;
  /** Time at which `data` was read, milliseconds since 1970. */
  readAt: number;
  refetch: () => unknown;
}

interface Props<Data> {
  of: Reading<Data>;
  /** Lines of the place that is kept while the answer is awaited. */
  lines?: number;
  children: (data: Data) => ReactNode;
}

const readStatus = (error: Error): unknown => ('status' in error ? error.status : undefined);

/** Shows data, a placeholder before it, or the reason why it cannot be read. Older data stays, with its time. */
export function Loaded<Data>({ of, lines = 5, children }: Props<Data>) {
  const { data, error, isPending, readAt } = of;
  // Data that someone may no longer see is not kept.
  const isKept = data !== undefined && !(error && readStatus(error) === 403);
  if (isKept)
    return (
      <>
        {error && <Stale at={toServerTime(readAt)} reason={error.message} />}
        <div className={`loaded ${isPending ? 'loaded-old' : ''}`} aria-busy={isPending}>
          {children(data)}
        </div>
      </>
    );
  return error ? <Unreadable error={error} onAgain={of.refetch} /> : <Skeleton lines={lines} />;
}

/** Says how old the shown data is, and why there is nothing newer. */
export const Stale = ({ at, reason }: { at: number; reason: string }) => (
  <p className="stale small" role="status">
    <Icon name="wait" size={14} />
    <span>
      As of <Time at={new Date(at).toISOString()} />. {reason}
    </span>
  </p>
);

function Unreadable({ error, onAgain }: { error: Error; onAgain: () => unknown }) {
  const status = readStatus(error);
  if (status === 403)
    return (
      <Empty kind="forbidden" title="You are not allowed to see this">
        {error.message}
      </Empty>
    );
  if (status === 404)
    return (
      <Empty kind="filtered" title="Not found">
        {error.message}
      </Empty>
    );
  return (
    <Empty
      kind="unreachable"
      title="This cannot be loaded right now"
      action={<Button onClick={() => void onAgain()}>Try again</Button>}
    >
      {error.message}
    </Empty>
  );
}
