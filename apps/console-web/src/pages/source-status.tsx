import { type SourceDetail } from '@sluice/console-api';
import { useState } from 'react';
import { useDeed } from '../data/use-api';
import { Button } from '../ui/button';
import { Confirm } from '../ui/dialog';
import { exactText } from '../ui/number';
import { Sent } from '../ui/sent';
import { useToast } from '../ui/toast';

/** Disables a source, which stops its traffic within a second, or enables it again. */
export function SourceStatus({ source }: { source: SourceDetail }) {
  const [isAsking, setAsking] = useState(false);
  const toast = useToast();
  const isEnabled = source.status === 'enabled';
  const change = useDeed('PUT /api/sources/:id/status', ({ status }) => {
    setAsking(false);
    toast(
      'ok',
      <>
        <Sent text={source.name} /> is {status}.
      </>,
    );
  });
  const path = { id: source.sourceIdentifier };
  const events = source.eventsLastHour ?? 0;
  if (!isEnabled)
    return (
      <Button
        busy={change.isPending}
        onClick={() => {
          change.mutate({ path, body: { status: 'enabled' } });
        }}
      >
        Enable
      </Button>
    );
  return (
    <>
      <Button
        onClick={() => {
          setAsking(true);
        }}
      >
        Disable
      </Button>
      <Confirm
        open={isAsking}
        onClose={() => {
          setAsking(false);
        }}
        title={
          <>
            Disable <Sent text={source.name} />?
          </>
        }
        deed="Disable source"
        busy={change.isPending}
        error={change.error?.message}
        typed={events > 0 ? source.name : undefined}
        onConfirm={() => {
          change.mutate({ path, body: { status: 'disabled' } });
        }}
      >
        <WhatItDoes events={events} />
      </Confirm>
    </>
  );
}

const WhatItDoes = ({ events }: { events: number }) => (
  <p>
    Within a second every request of this source is refused with 403. It sent{' '}
    <strong>{`${exactText(events)} events`}</strong> in the last hour. What is stored stays, and it can be enabled
    again.
  </p>
);
