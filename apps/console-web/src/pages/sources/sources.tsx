import { type AnswerOf, type SourceSummary } from '@sluice/console-api';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useLastKnown } from '../../data/last-known';
import { useMay } from '../../data/session';
import { useRead } from '../../data/use-api';
import { Badge, Tag } from '../../ui/badge';
import { Button } from '../../ui/button';
import { Card, Page } from '../../ui/card';
import { CopyButton } from '../../ui/copy';
import { Empty } from '../../ui/empty';
import { Select } from '../../ui/field';
import { Loaded, Stale } from '../../ui/loaded';
import { Count, exactText } from '../../ui/number';
import { pageNote, Pages } from '../../ui/pages';
import { SearchField } from '../../ui/search-field';
import { Sent } from '../../ui/sent';
import { Table } from '../../ui/table';
import { Age } from '../../ui/zone';
import { NewSourcePage } from './new-source';

const route = getRouteApi('/shell/sources');

/** Sources, and whether each of them is healthy. */
export function SourcesPage() {
  const { new: isNew } = route.useSearch();
  return isNew ? <NewSourcePage /> : <SourceList />;
}

/** Number of sources of a page. */
const pageSources = 50;

function SourceList() {
  const { text, status, order, page = 1 } = route.useSearch();
  const skip = (page - 1) * pageSources;
  const filter = { ...(text && { text }), ...(isStatus(status) && { status }) };
  const query = { ...filter, order: order === 'name' ? order : 'look', skip, limit: pageSources } as const;
  const sources = useRead('GET /api/sources', { query }, { everyMs: 5000 });
  const mayEdit = useMay('editor');
  return (
    <Page
      title="Sources"
      question="Who sends events, and is each source healthy?"
      actions={
        <>
          <CopyButton text="npm run -s operator -- sources list" label="Copy command" />
          {mayEdit && <NewButton />}
        </>
      }
    >
      <Filters />
      <Card title="Sources" note={sources.data && pageNote(sources.data.sources.length, skip, sources.data)} flush>
        <Loaded of={sources} lines={6}>
          {(data) => <KnownSources list={data} isFiltered={Object.keys(filter).length > 0} mayEdit={mayEdit} />}
        </Loaded>
      </Card>
      {sources.data && <SourcePages page={page} matchCount={sources.data.found} />}
    </Page>
  );
}

const isStatus = (text: string | undefined): text is 'enabled' | 'disabled' =>
  text === 'enabled' || text === 'disabled';

const statuses = [
  { value: '', label: 'Any status' },
  { value: 'enabled', label: 'Enabled' },
  { value: 'disabled', label: 'Disabled' },
];
const orders = [
  { value: '', label: 'What needs a look first' },
  { value: 'name', label: 'By name' },
];

/** Filters of all sources; the address holds them. */
function Filters() {
  const { text = '', status = '', order = '' } = route.useSearch();
  const navigate = useNavigate({ from: '/sources' });
  const set = (name: 'text' | 'status' | 'order', value: string): void => {
    void navigate({ search: (now) => ({ ...now, [name]: value || undefined, page: undefined }), replace: true });
  };
  return (
    <form className="filters" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
      <SearchField label="Name or identifier" value={text} onSearch={(typed) => set('text', typed)} />
      <Select
        label="Status"
        options={statuses}
        value={isStatus(status) ? status : ''}
        onChange={({ target }) => set('status', target.value)}
      />
      <Select
        label="Order"
        options={orders}
        value={order === 'name' ? order : ''}
        onChange={({ target }) => set('order', target.value)}
      />
    </form>
  );
}

function SourcePages({ page, matchCount }: { page: number; matchCount: number }) {
  const navigate = useNavigate({ from: '/sources' });
  return (
    <Pages
      label="Pages of sources"
      {...{ page, matchCount }}
      size={pageSources}
      onPage={(to) => {
        void navigate({ search: (now) => ({ ...now, page: to === 1 ? undefined : to }) });
      }}
    />
  );
}

function NewButton() {
  const navigate = useNavigate({ from: '/sources' });
  return (
    <Button
      look="primary"
      icon="plus"
      onClick={() => {
        void navigate({ search: (now) => ({ ...now, new: 'yes' }) });
      }}
    >
      New source
    </Button>
  );
}

interface SourceTableProps {
  list: AnswerOf<'GET /api/sources'>;
  isFiltered: boolean;
  mayEdit: boolean;
}

/** Sources with the numbers that were known last, while ClickHouse is not responding. */
function KnownSources({ list, ...otherProps }: SourceTableProps) {
  const { sources } = list;
  const lastKnown = useLastKnown('sources', sources, (all) =>
    all.every(({ eventsLastHour }) => eventsLastHour !== null),
  );
  const factsBySource = new Map(lastKnown?.value.map((source) => [source.sourceIdentifier, source]));
  const rows = sources.map((source) => {
    const { eventsLastHour, refusedLastHour, newestReceived } = factsBySource.get(source.sourceIdentifier) ?? source;
    return { ...source, eventsLastHour, refusedLastHour, newestReceived };
  });
  return (
    <>
      {lastKnown?.asOf && (
        <Stale at={lastKnown.asOf} reason="Newer numbers are unknown: ClickHouse is not responding." />
      )}
      <SourceTable list={{ ...list, sources: rows }} {...otherProps} />
    </>
  );
}

const SourceTable = ({ list: { sources, all }, isFiltered, mayEdit }: SourceTableProps) => (
  <Table
    label="Sources"
    rows={sources}
    rowKey={({ sourceIdentifier }) => sourceIdentifier}
    columns={[
      { label: 'Name', grow: true, cell: nameLink },
      { label: 'Type', isMinor: true, cell: ({ type }) => <Tag text={type} /> },
      { label: 'Status', cell: (source) => <SourceStatusBadge source={source} /> },
      {
        label: 'Keys',
        end: true,
        isMinor: true,
        cell: ({ keys }) => keys.filter(({ revokedAt }) => !revokedAt).length,
      },
      { label: 'Newest event', end: true, cell: ({ newestReceived }) => <Age at={newestReceived} /> },
      { label: 'Events, 1 h', end: true, cell: ({ eventsLastHour }) => <Count value={eventsLastHour} /> },
      { label: 'Refused, 1 h', end: true, cell: ({ refusedLastHour }) => <Count value={refusedLastHour} /> },
    ]}
    empty={
      isFiltered && all > 0 ? (
        <Empty kind="filtered" title="No source matches">
          {`None of ${exactText(all)} has this name or identifier, and this status.`}
        </Empty>
      ) : (
        <Empty kind="none-yet" title="There are no sources yet" action={mayEdit && <NewButton />}>
          A source is a website, an app or a server that sends events with its own keys.
        </Empty>
      )
    }
  />
);

const SourceStatusBadge = ({ source: { status, look } }: { source: SourceSummary }) => (
  <Badge state={status === 'enabled' && look ? look : status} />
);

const nameLink = ({ sourceIdentifier, name }: SourceSummary) => (
  <>
    <Link to="/sources/$id" params={{ id: sourceIdentifier }}>
      <Sent text={name} />
    </Link>
    <br />
    <code className="soft">{sourceIdentifier}</code>
  </>
);
