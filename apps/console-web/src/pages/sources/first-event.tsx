import { type Arrivals } from '@sluice/console-api';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useRead } from '../../data/use-api';
import { Badge } from '../../ui/badge';
import { Empty } from '../../ui/empty';
import { Sent } from '../../ui/sent';
import { Time } from '../../ui/zone';
import { FieldProblems } from '../requests/refusal';
import './first-event.css';

interface Props {
  sourceIdentifier: string;
  /** Only what arrives after this time counts, ISO 8601. */
  since: string;
}

/** Waits for the first event of a source; refusals are shown as well, with the reason. */
export function FirstEvent({ sourceIdentifier, since }: Props) {
  const [from] = useState(since);
  const arrivals = useRead(
    'GET /api/sources/:id/arrivals',
    { path: { id: sourceIdentifier }, query: { since: from } },
    { everyMs: 1000 },
  );
  const { stored = [], refused = [] } = arrivals.data ?? {};
  if (arrivals.error && !arrivals.data)
    return (
      <Empty kind="unreachable" title="Arrivals cannot be loaded right now">
        {arrivals.error.message}
      </Empty>
    );
  if (stored.length + refused.length === 0)
    return (
      <Empty kind="waiting" title="Waiting for your first event">
        Send one as shown above. It appears here within two seconds, even if it is refused.
      </Empty>
    );
  return (
    <ul className="arrivals" aria-label="What has arrived" aria-live="polite">
      {newestFirst({ stored, refused }).slice(0, 8)}
    </ul>
  );
}

function newestFirst({ stored, refused }: Arrivals) {
  const rows = [
    ...stored.map((storedEvent) => ({
      at: storedEvent.at,
      row: <StoredRow key={`${storedEvent.requestId} ${storedEvent.storedAt}`} event={storedEvent} />,
    })),
    ...refused.map((refusal) => ({
      at: refusal.at,
      row: <RefusedRow key={`${refusal.requestId} ${refusal.kind}`} refusal={refusal} />,
    })),
  ];
  return rows.sort((a, b) => Date.parse(b.at) - Date.parse(a.at)).map(({ row }) => row);
}

const StoredRow = ({ event }: { event: Arrivals['stored'][number] }) => (
  <li className="arrival">
    <div className="row row-apart">
      <span className="row">
        <Badge state="stored" />
        <strong>
          <Sent text={event.event} />
        </strong>
      </span>
      <span className="row">
        <Time at={event.at} millis />
        <Link to="/requests/$id" params={{ id: event.requestId }}>
          Journey
        </Link>
      </span>
    </div>
  </li>
);

const RefusedRow = ({ refusal }: { refusal: Arrivals['refused'][number] }) => (
  <li className="arrival">
    <div className="row row-apart">
      <Badge state={refusal.kind} text={`${refusal.status} ${refusal.reason}`} />
      <span className="row">
        <Time at={refusal.at} millis />
        <Link to="/refused" search={{ id: refusal.requestId }}>
          Why
        </Link>
      </span>
    </div>
    {refusal.problems.length > 0 && <FieldProblems problems={refusal.problems} />}
  </li>
);
