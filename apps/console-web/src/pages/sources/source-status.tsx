import { useState } from 'react';
import { useAction } from '../../data/use-api';
import { Button } from '../../ui/button';
import { Confirm } from '../../ui/dialog';
import { exactText } from '../../ui/number';
import { Sent } from '../../ui/sent';
import { useToast } from '../../ui/toast';
import { type KnownSource } from './known-source';

/** Disables a source, which stops its traffic within a second, or enables it again. */
export function SourceStatus({ source }: { source: KnownSource }) {
  const [isAsking, setAsking] = useState(false);
  const toast = useToast();
  const isEnabled = source.status === 'enabled';
  const change = useAction('PUT /api/sources/:id/status', ({ status }) => {
    setAsking(false);
    toast(
      'ok',
      <>
        <Sent text={source.name} /> is {status}.
      </>,
    );
  });
  const path = { id: source.sourceIdentifier };
  const events = source.eventsLastHour;
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
      <Button onClick={() => setAsking(true)}>Disable</Button>
      <Confirm
        open={isAsking}
        onClose={() => setAsking(false)}
        title={
          <>
            Disable <Sent text={source.name} />?
          </>
        }
        action="Disable source"
        busy={change.isPending}
        error={change.error?.message}
        typed={events === 0 ? undefined : source.name}
        onConfirm={() => {
          change.mutate({ path, body: { status: 'disabled' } });
        }}
      >
        <WhatItDoes events={events} />
      </Confirm>
    </>
  );
}

const WhatItDoes = ({ events }: { events: number | null }) => (
  <p>
    Within a second every request of this source is refused with 404. It sent{' '}
    <strong>{events === null ? 'an unknown number of events' : `${exactText(events)} events`}</strong> in the last hour.
    Stored data stays, and the source can be enabled again.
  </p>
);
