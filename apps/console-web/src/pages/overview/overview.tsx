import { type Overview, type SourceFreshness, type StatusReport } from '@sluice/console-api';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { searchOf, type Span, spanOf } from '../../data/range';
import { useStatus } from '../../data/now';
import { useRead } from '../../data/use-api';
import { Card, Page } from '../../ui/card';
import { Empty, Notice } from '../../ui/empty';
import { Loaded } from '../../ui/loaded';
import { bytesText, Count, exactText } from '../../ui/number';
import { Sent } from '../../ui/sent';
import { Table } from '../../ui/table';
import { Age, durationText } from '../../ui/zone';
import { FlowChart } from '../../ui/flow-chart';
import { RangePicker } from '../../ui/range-picker';
import { Verdicts, VerdictsPlace } from './verdicts';

const route = getRouteApi('/shell/');

/** Whether everything flows: verdicts, events per second, and the freshness of each source. */
export function OverviewPage() {
  const span = spanOf(route.useSearch());
  const navigate = useNavigate({ from: '/' });
  const status = useStatus();
  const overview = useRead('GET /api/overview', { query: {} }, { everyMs: 10_000, span });
  const choose = (next: Span): void => {
    void navigate({ search: (now) => ({ ...now, ...searchOf(next) }) });
  };
  return (
    <Page title="Overview" question="Is everything flowing?" actions={<RangePicker value={span} onChange={choose} />}>
      {status.data || !status.error ? (
        status.data ? (
          <Verdicts report={status.data} />
        ) : (
          <VerdictsPlace />
        )
      ) : (
        <Loaded of={status}>{() => null}</Loaded>
      )}
      {status.data && <Spools report={status.data} />}
      <Card title="Events per second">
        <Loaded of={overview} lines={8}>
          {(data) => <Flow overview={data} onZoom={choose} />}
        </Loaded>
      </Card>
      <Card title="Sources" note="Silent ones first" flush actions={<Link to="/sources">All sources</Link>}>
        <Loaded of={overview}>{(data) => <Freshness overview={data} />}</Loaded>
      </Card>
    </Page>
  );
}

/** Notices about messages that only the disks of gateways hold. */
const Spools = ({ report }: { report: StatusReport }) =>
  report.gateways.gateways
    .filter(({ spoolMessages }) => spoolMessages > 0)
    .map(({ url, name, spoolMessages, spoolBytes, spoolOldestAgeSeconds }) => (
      <Notice key={url} tone="attention">
        {`${exactText(spoolMessages)} messages (${bytesText(spoolBytes)}) are only on the disk of ${name ?? url}, the oldest for ${durationText(spoolOldestAgeSeconds)}. The gateway sends them to Kafka by itself. Do not delete its volume.`}
      </Notice>
    ));

function Flow({ overview: { series, sql, sources }, onZoom }: { overview: Overview; onZoom: (span: Span) => void }) {
  const hasNone = [series.accepted, series.stored, series.refused].every((line) => line.every((value) => !value));
  const isNew = sources.every(({ newestReceived }) => newestReceived === null);
  if (hasNone && isNew)
    return (
      <Empty kind="none-yet" title="No events yet" action={<Link to="/sources">Send your first event</Link>}>
        Choose a source; its page shows how to send and waits for the first event.
      </Empty>
    );
  return <FlowChart label="Events per second" {...{ series, sql, onZoom }} />;
}

function Freshness({ overview }: { overview: Overview }) {
  return (
    <Table
      label="Freshness of each source"
      rows={overview.sources}
      rowKey={({ sourceIdentifier }) => sourceIdentifier}
      columns={[
        { label: 'Source', grow: true, cell: sourceLink },
        { label: 'Newest event', end: true, cell: ({ newestReceived }) => <Age at={newestReceived} /> },
        { label: 'Newest stored', end: true, cell: ({ newestStored }) => <Age at={newestStored} /> },
        { label: 'Events', end: true, cell: ({ events }) => <Count value={events} /> },
        { label: 'Refused', end: true, cell: refusedLink },
      ]}
      empty={
        <Empty
          kind="none-yet"
          title="No source has sent anything"
          action={<Link to="/sources">Go to the sources</Link>}
        >
          Create a source, send its first event, and watch it arrive.
        </Empty>
      }
    />
  );
}

const sourceLink = ({ sourceIdentifier, name }: SourceFreshness) => (
  <Link to="/sources/$id" params={{ id: sourceIdentifier }}>
    <Sent text={name || sourceIdentifier} />
  </Link>
);

const refusedLink = ({ sourceIdentifier, refused }: SourceFreshness) =>
  refused === 0 ? (
    '0'
  ) : (
    <Link to="/refused" search={(now) => ({ ...now, source: sourceIdentifier })}>
      <Count value={refused} />
    </Link>
  );
