import { type EventRow } from '@sluice/console-api';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { chooseSpan } from '../../data/range';
import { type EventPages, useEvents } from '../../data/use-events';
import { Button } from '../../ui/button';
import { Card, Page } from '../../ui/card';
import { CopyButton } from '../../ui/copy';
import { Empty } from '../../ui/empty';
import { Loaded } from '../../ui/loaded';
import { Sent } from '../../ui/sent';
import { Table } from '../../ui/table';
import { durationText, Time } from '../../ui/zone';
import { EventDrawer } from './event-drawer';
import { EventFilters, pickFilters, hasFilter, noFilter } from './event-filters';
import { EventTime } from './event-time';

const route = getRouteApi('/shell/events');

/** Stored messages of the last days, one by one. */
export function EventsPage() {
  const { id, range, from, to, ...search } = route.useSearch();
  const filters = pickFilters(search);
  const navigate = useNavigate({ from: '/events' });
  const span = chooseSpan({ range: range ?? '7d', from, to });
  const list = useEvents(filters, span);
  return (
    <Page title="Events" question="Which messages were sent, and are they stored?" actions={<EventTime span={span} />}>
      <EventFilters isLive={false} />
      <Card
        title="Stored messages"
        note="Newest first, of all kinds"
        flush
        actions={list.data && <CopyButton text={list.data.sql} label="Copy SQL" />}
      >
        <Loaded of={list} lines={12}>
          {(data) => <EventRows pages={data} isFiltered={hasFilter(filters)} />}
        </Loaded>
      </Card>
      {id !== undefined && (
        <EventDrawer
          id={id}
          onClose={() => {
            void navigate({ search: (now) => ({ ...now, id: undefined }) });
          }}
        />
      )}
    </Page>
  );
}

const EventRows = ({ pages, isFiltered }: { pages: EventPages; isFiltered: boolean }) => (
  <>
    <Table
      label="Stored messages, newest first"
      rows={pages.rows}
      rowKey={({ id }) => id}
      columns={columns}
      empty={<NoRows isFiltered={isFiltered} />}
    />
    {pages.more && (
      <div className="events-more">
        <span className="small soft">
          {pages.searchedUntil && (
            <>
              Searched back to <Time at={pages.searchedUntil} />.
            </>
          )}
        </span>
        <Button busy={pages.isLoadingMore} onClick={pages.more}>
          {pages.searchedUntil ? 'Search further back' : 'Show older messages'}
        </Button>
      </div>
    )}
  </>
);

function NoRows({ isFiltered }: { isFiltered: boolean }) {
  const navigate = useNavigate({ from: '/events' });
  if (!isFiltered)
    return (
      <Empty kind="none-in-range" title="No messages in this time" action={<Link to="/sources">How to send one</Link>}>
        Choose a longer time, or watch what arrives live.
      </Empty>
    );
  const clear = (
    <Button
      onClick={() => {
        void navigate({ search: (now) => ({ ...now, ...noFilter }) });
      }}
    >
      Clear the filters
    </Button>
  );
  return (
    <Empty kind="filtered" title="No matching messages" action={clear}>
      Clear the filters or choose a longer time. Refused requests are listed under Refused.
    </Empty>
  );
}

const columns = [
  {
    label: 'Received',
    cell: ({ id, receivedAt }: EventRow) => (
      <Link from="/events" to="." search={(now) => ({ ...now, id })}>
        <Time at={receivedAt} millis />
      </Link>
    ),
  },
  {
    label: 'Event',
    grow: true,
    cell: ({ event, entity }: EventRow) => (
      <>
        <strong>
          <Sent text={event} />
        </strong>
        {entity !== '' && (
          <>
            {' '}
            <Sent className="soft" text={entity} />
          </>
        )}
      </>
    ),
  },
  {
    label: 'User',
    cell: ({ user }: EventRow) =>
      user === '' ? (
        '–'
      ) : (
        <Link from="/events" to="." search={(now) => ({ ...now, user })}>
          <Sent text={user} />
        </Link>
      ),
  },
  {
    label: 'Source',
    cell: ({ sourceIdentifier, sourceName }: EventRow) => (
      <Link to="/sources/$id" params={{ id: sourceIdentifier }}>
        <Sent text={sourceName === '' ? sourceIdentifier : sourceName} />
      </Link>
    ),
  },
  { label: 'Table', cell: ({ table }: EventRow) => <code>{table}</code> },
  {
    label: 'Stored after',
    end: true,
    cell: ({ receivedAt, storedAt }: EventRow) =>
      durationText(Math.max(Date.parse(storedAt) - Date.parse(receivedAt), 0) / 1000),
  },
];
