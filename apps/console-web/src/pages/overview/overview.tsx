import { type Overview, type SourceFreshness, type StatusReport } from '@sluice/console-api';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { serverNow } from '../../data/clock';
import { spanSearch, type Span, chooseSpan } from '../../data/range';
import { useStatus } from '../../data/now';
import { useRead } from '../../data/use-api';
import { Badge } from '../../ui/badge';
import { Card, Page } from '../../ui/card';
import { Empty, Notice } from '../../ui/empty';
import { Loaded, Stale } from '../../ui/loaded';
import { bytesText, Count, countWords, exactText } from '../../ui/number';
import { Sent } from '../../ui/sent';
import { Table } from '../../ui/table';
import { Age, durationText } from '../../ui/zone';
import { FlowChart } from '../../ui/flow-chart';
import { RangePicker } from '../../ui/range-picker';
import { CanaryCard } from '../canary/canary-card';
import { listOpenChanges, useChanges } from '../watch/changes';
import { Verdicts, VerdictsPlace } from './verdicts';

const route = getRouteApi('/shell/');

/** Whether everything flows: verdicts, events per second, and the freshness of each source. */
export function OverviewPage() {
  const span = chooseSpan(route.useSearch());
  const navigate = useNavigate({ from: '/' });
  const status = useStatus();
  const openChanges = listOpenChanges(useChanges().data);
  const overview = useRead('GET /api/overview', { query: {} }, { everyMs: 10_000, span });
  const choose = (next: Span): void => {
    void navigate({ search: (now) => ({ ...now, ...spanSearch(next) }) });
  };
  return (
    <Page title="Overview" question="Is everything flowing?" actions={<RangePicker value={span} onChange={choose} />}>
      {status.data || !status.error ? (
        status.data ? (
          <Loaded of={status}>
            {(report) => <Verdicts {...{ report, openChanges }} isOld={status.error !== null} />}
          </Loaded>
        ) : (
          <VerdictsPlace />
        )
      ) : (
        <Loaded of={status}>{() => null}</Loaded>
      )}
      {status.data && <Spools report={status.data} />}
      <CanaryCard />
      <Card title="Events per second">
        <Loaded of={overview} lines={8}>
          {(data) => <Flow overview={data} onZoom={choose} />}
        </Loaded>
      </Card>
      <Card
        title="Sources"
        note="What needs a look first"
        flush
        actions={<Link to="/sources">{allText(overview.data?.enabledSources)}</Link>}
      >
        <Loaded of={overview}>
          {(data) => (
            <>
              <HeldUpCounts overview={data} />
              <Freshness overview={data} />
            </>
          )}
        </Loaded>
      </Card>
    </Page>
  );
}

const allText = (enabled = 0): string => (enabled > 1 ? `All ${exactText(enabled)} sources` : 'All sources');

/** Notices about messages that only the disks of gateways hold. */
const Spools = ({ report }: { report: StatusReport }) =>
  report.gateways.gateways
    .filter(({ spoolMessages }) => spoolMessages > 0)
    .map(({ url, name, spoolMessages, spoolBytes, spoolOldestAgeSeconds }) => (
      <Notice key={url} tone="attention">
        {`${exactText(spoolMessages)} ${spoolMessages === 1 ? 'message is' : 'messages are'} only on the disk of ${name ?? url} (${bytesText(spoolBytes)}), the oldest for ${durationText(spoolOldestAgeSeconds)}. The gateway sends them to Kafka by itself. Do not delete its volume.`}
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

/** Delay of the newest count of gateways, milliseconds, above which what came since is not known. */
const heldUpMs = 30_000;
/** Age of the end of a range, milliseconds, above which it says nothing about now. */
const pastMs = 60_000;

function isHeldUp({ range, series }: Overview): boolean {
  const until = series.knownUntil?.accepted ?? null;
  const end = Date.parse(range.to);
  return until !== null && serverNow() - end < pastMs && end - Date.parse(until) > heldUpMs;
}

/** Says that ages and numbers end where counts do: counts come the way of events, and wait with them, or no gateway runs. */
const HeldUpCounts = ({ overview }: { overview: Overview }) => {
  const until = overview.series.knownUntil?.accepted;
  return until && isHeldUp(overview) ? (
    <Stale at={Date.parse(until)} reason="Nothing that gateways counted since then has arrived." />
  ) : null;
};

/** Whether anything is known of a source in the shown time. */
const hasSent = ({ events, refused, look, newestReceived }: SourceFreshness): boolean =>
  events > 0 || refused > 0 || look !== undefined || newestReceived !== null;

/** The sources that sent something; the others, in one line, would be rows of dashes. */
function Freshness({ overview }: { overview: Overview }) {
  const { sources, enabledSources } = overview;
  const rows = sources.filter(hasSent);
  const quietCount = rows.length < sources.length ? enabledSources - rows.length : 0;
  return (
    <>
      <FreshnessTable rows={rows} enabledSources={enabledSources} well={isHeldUp(overview) ? 'unknown' : 'ok'} />
      {rows.length > 0 && quietCount > 0 && (
        <p className="card-more small soft">
          {`${countWords(quietCount, 'other source', 'other sources')} sent nothing in this time`}
        </p>
      )}
    </>
  );
}

interface FreshnessProps {
  rows: readonly SourceFreshness[];
  enabledSources: number;
  /** State of a source of which nothing bad is known. */
  well: 'ok' | 'unknown';
}

function FreshnessTable({ rows, enabledSources, well }: FreshnessProps) {
  return (
    <Table
      label="Freshness of each source"
      rows={rows}
      rowKey={({ sourceIdentifier }) => sourceIdentifier}
      columns={[
        { label: 'Source', grow: true, cell: sourceLink },
        { label: 'State', cell: ({ look, events }) => (look || events > 0 ? <Badge state={look ?? well} /> : '–') },
        { label: 'Newest event', end: true, cell: ({ newestReceived }) => <Age at={newestReceived} /> },
        { label: 'Newest stored', end: true, isMinor: true, cell: ({ newestStored }) => <Age at={newestStored} /> },
        { label: 'Events', end: true, cell: ({ events }) => <Count value={events} /> },
        { label: 'Refused', end: true, cell: refusedLink },
      ]}
      empty={
        <Empty
          kind={enabledSources > 0 ? 'none-in-range' : 'none-yet'}
          title={enabledSources > 0 ? 'No source sent anything in this time' : 'There is no source yet'}
          action={<Link to="/sources">Go to the sources</Link>}
        >
          {enabledSources > 0
            ? 'Choose a longer time, or send an event.'
            : 'Create one, send its first event, and watch it arrive.'}
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
