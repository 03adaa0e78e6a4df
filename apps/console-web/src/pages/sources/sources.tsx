import { type SourceSummary } from '@sluice/console-api';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useLastKnown } from '../../data/last-known';
import { useMay } from '../../data/session';
import { useRead } from '../../data/use-api';
import { Badge, Tag } from '../../ui/badge';
import { Button } from '../../ui/button';
import { Card, Page } from '../../ui/card';
import { CopyButton } from '../../ui/copy';
import { Empty } from '../../ui/empty';
import { Loaded, Stale } from '../../ui/loaded';
import { Count } from '../../ui/number';
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

function SourceList() {
  const sources = useRead('GET /api/sources', {}, { everyMs: 5000 });
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
      <Card flush>
        <Loaded of={sources} lines={6}>
          {(data) => <KnownRows sources={data} mayEdit={mayEdit} />}
        </Loaded>
      </Card>
    </Page>
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

/** Rows with the numbers that were known last, while ClickHouse is not responding. */
function KnownRows({ sources, mayEdit }: { sources: readonly SourceSummary[]; mayEdit: boolean }) {
  const known = useLastKnown('sources', sources, (all) => all.every(({ eventsLastHour }) => eventsLastHour !== null));
  const factsOf = new Map(known?.value.map((one) => [one.sourceIdentifier, one]));
  const rows = sources.map((one) => {
    const { eventsLastHour, refusedLastHour, newestReceived } = factsOf.get(one.sourceIdentifier) ?? one;
    return { ...one, eventsLastHour, refusedLastHour, newestReceived };
  });
  return (
    <>
      {known?.asOf && <Stale at={known.asOf} reason="Newer numbers are unknown: ClickHouse is not responding." />}
      <Rows sources={rows} mayEdit={mayEdit} />
    </>
  );
}

const Rows = ({ sources, mayEdit }: { sources: readonly SourceSummary[]; mayEdit: boolean }) => (
  <Table
    label="Sources"
    rows={sources}
    rowKey={({ sourceIdentifier }) => sourceIdentifier}
    columns={[
      { label: 'Name', grow: true, cell: nameLink },
      { label: 'Type', cell: ({ type }) => <Tag text={type} /> },
      { label: 'Status', cell: ({ status }) => <Badge state={status} /> },
      { label: 'Keys', end: true, cell: ({ keys }) => keys.filter(({ revokedAt }) => !revokedAt).length },
      { label: 'Newest event', end: true, cell: ({ newestReceived }) => <Age at={newestReceived} /> },
      { label: 'Events, 1 h', end: true, cell: ({ eventsLastHour }) => <Count value={eventsLastHour} /> },
      { label: 'Refused, 1 h', end: true, cell: ({ refusedLastHour }) => <Count value={refusedLastHour} /> },
    ]}
    empty={
      <Empty kind="none-yet" title="There are no sources yet" action={mayEdit && <NewButton />}>
        A source is a website, an app or a server that sends events with its own keys.
      </Empty>
    }
  />
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
