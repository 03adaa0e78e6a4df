import { type ReactNode } from 'react';
import { Button } from './button';
import { Empty, Notice } from './empty';
import { Skeleton } from './skeleton';

interface Reading<Data> {
  data: Data | undefined;
  error: Error | null;
  refetch: () => unknown;
}

interface Props<Data> {
  of: Reading<Data>;
  /** Lines of the place that is kept while the answer is awaited. */
  lines?: number;
  children: (data: Data) => ReactNode;
}

const isForbidden = (error: Error): boolean => 'status' in error && error.status === 403;
const isMissing = (error: Error): boolean => 'status' in error && error.status === 404;

/** What was read; its place before; and the reason when it cannot be read. Older data stays beside the reason. */
export function Loaded<Data>({ of, lines = 5, children }: Props<Data>) {
  const { data, error } = of;
  if (data !== undefined) {
    return (
      <>
        {error && (
          <Notice tone="attention" live>
            {`What is shown is older: ${error.message}`}
          </Notice>
        )}
        {children(data)}
      </>
    );
  }
  if (!error) return <Skeleton lines={lines} />;
  if (isForbidden(error)) {
    return (
      <Empty kind="forbidden" title="You may not see this">
        {error.message}
      </Empty>
    );
  }
  const retry = (
    <Button
      onClick={() => {
        of.refetch();
      }}
    >
      Try again
    </Button>
  );
  return (
    <Empty kind="away" title={isMissing(error) ? 'There is no such thing' : 'This cannot be read now'} action={retry}>
      {error.message}
    </Empty>
  );
}
