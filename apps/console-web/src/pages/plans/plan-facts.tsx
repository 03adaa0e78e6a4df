import { type EventCoverage, type PlanViolation } from '@sluice/console-api';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useRead } from '../../data/use-api';
import { Card } from '../../ui/card';
import { Empty } from '../../ui/empty';
import { Loaded } from '../../ui/loaded';
import { Count } from '../../ui/number';
import { Pages } from '../../ui/pages';
import { Sent } from '../../ui/sent';
import { Table } from '../../ui/table';
import { Age } from '../../ui/zone';
import { ruleSentence } from './violation-words';

const size = 20;
const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
/** Traits of identify have no event. */
const eventText = (event: string): string => (event === '' ? '(identify)' : event);

/** The last seven days, asked for less often than what is shown for an hour. */
const week = { everyMs: 15_000, span: '7d' } as const;

export function ViolationsCard({ id }: { id: string }) {
  const [page, setPage] = useState(1);
  const query = { skip: (page - 1) * size, limit: size };
  const path = { id };
  const reading = useRead('GET /api/sources/:id/plans/violations', { path, query }, week);
  return (
    <>
      <Card
        title="Violations"
        note="Of the last seven days: a rule and a path, with the newest request that has it"
        flush
      >
        <Loaded of={reading}>{({ violations }) => <Violations violations={violations} />}</Loaded>
      </Card>
      <Pages label="Pages of violations" {...{ page, size }} matchCount={reading.data?.found ?? 0} onPage={setPage} />
    </>
  );
}

export function CoverageCard({ id }: { id: string }) {
  const [page, setPage] = useState(1);
  const query = { skip: (page - 1) * size, limit: size };
  const path = { id };
  const reading = useRead('GET /api/sources/:id/plans/coverage', { path, query }, week);
  return (
    <>
      <Card
        title="Coverage"
        note="Of the last seven days: events that the source sent, and how many of them the plan names"
        flush
      >
        <Loaded of={reading}>{({ events }) => <Coverage events={events} />}</Loaded>
      </Card>
      <Pages label="Pages of coverage" {...{ page, size }} matchCount={reading.data?.found ?? 0} onPage={setPage} />
    </>
  );
}

const Violations = ({ violations }: { violations: readonly PlanViolation[] }) => (
  <Table
    label="Violations"
    rows={violations}
    rowKey={({ event, rule, path }) => `${event} ${rule} ${path}`}
    columns={[
      { label: 'Event', cell: ({ event }) => <Sent text={eventText(event)} /> },
      {
        label: 'Violation',
        grow: true,
        cell: ({ rule, path }) => (
          <>
            <code>
              <Sent text={path === '' ? rule : `${rule}:${path}`} />
            </code>
            <br />
            <span className="small soft">{ruleSentence(rule)}</span>
          </>
        ),
      },
      { label: 'Messages', end: true, cell: ({ messages }) => <Count value={messages} /> },
      { label: 'Share', end: true, cell: ({ share }) => percent(share) },
      { label: 'People', end: true, cell: ({ people }) => <Count value={people} /> },
      { label: 'First', end: true, cell: ({ firstSeen }) => <Age at={firstSeen} /> },
      { label: 'Last', end: true, cell: ({ lastSeen }) => <Age at={lastSeen} /> },
      {
        label: 'Request',
        end: true,
        cell: ({ requestId }) => (
          <Link to="/requests/$id" params={{ id: requestId }}>
            Newest
          </Link>
        ),
      },
    ]}
    empty={<Empty kind="none-in-range" title="No violations in the last seven days" />}
  />
);

const Coverage = ({ events }: { events: readonly EventCoverage[] }) => (
  <Table
    label="Coverage"
    rows={events}
    rowKey={({ event }) => event}
    columns={[
      { label: 'Event', grow: true, cell: ({ event }) => <Sent text={eventText(event)} /> },
      { label: 'Messages', end: true, cell: ({ messages }) => <Count value={messages} /> },
      { label: 'Planned', end: true, cell: ({ planned }) => <Count value={planned} /> },
      { label: 'With violations', end: true, cell: ({ violating }) => <Count value={violating} /> },
    ]}
    empty={<Empty kind="none-in-range" title="No events of the last seven days are stored" />}
  />
);
