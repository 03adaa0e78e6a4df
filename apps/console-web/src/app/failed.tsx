import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { Button } from '../ui/button';
import { Empty } from '../ui/empty';

/** A page that failed to load or render. After a release its old chunks are gone, and reloading helps. */
export const Failed = ({ error }: ErrorComponentProps) => (
  <Empty
    kind="unreachable"
    title="This page could not be shown"
    action={
      <Button look="primary" onClick={() => location.reload()}>
        Reload
      </Button>
    }
  >
    {error instanceof Error ? error.message : 'The reason is unknown.'}
  </Empty>
);

export const Missing = () => (
  <Empty kind="filtered" title="Page not found" action={<Link to="/">Overview</Link>}>
    The address is wrong, or it belongs to an older release.
  </Empty>
);
