import { type Judged, type Overview, type SourceFreshness, type StatusReport } from '@sluice/console-api';
import { getRouteApi, Link, type LinkProps, useNavigate } from '@tanstack/react-router';
import { startOf } from '../data/range';
import { useRead } from '../data/use-api';
import { Badge } from '../ui/badge';
import { Card, Page } from '../ui/card';
import { Empty, Notice } from '../ui/empty';
import { Loaded } from '../ui/loaded';
import { bytesText, Count, exactText } from '../ui/number';
import { Sent } from '../ui/sent';
import { Skeleton } from '../ui/skeleton';
import { Table } from '../ui/table';
import { Age, durationText } from '../ui/zone';
import { FlowChart } from './flow-chart';
import { RangePicker } from './range-picker';
import './overview.css';

const route = getRouteApi('/shell/');

/** Is everything flowing? */
export function OverviewPage() {
  const { range = '1h' } = route.useSearch();
  const navigate = useNavigate({ from: '/' });
  const status = useRead('GET /api/status', {}, { every: 5000 });
  const overview = useRead('GET /api/overview', { query: { from: startOf(range) } }, { every: 10_000 });
  return (
    <Page
      title="Overview"
      question="Is everything flowing?"
      actions={
        <RangePicker
          value={range}
          onChange={(next) => {
            void navigate({ search: (now) => ({ ...now, range: next }), replace: true });
          }}
        />
      }
    >
      {status.data ? <Verdicts report={status.data} /> : <Loaded of={status}>{() => <VerdictsPlace />}</Loaded>}
      {status.data && <Worries report={status.data} />}
      <Card title="Events per second">
        <Loaded of={overview} lines={8}>
          {({ series, sql }) => <FlowChart label="Events per second" series={series} sql={sql} />}
        </Loaded>
      </Card>
      <Card title="Sources" note="Silent ones first" flush actions={<Link to="/sources">All sources</Link>}>
        <Loaded of={overview}>{(data) => <Freshness overview={data} />}</Loaded>
      </Card>
    </Page>
  );
}

const parts = [
  ['gateways', 'Gateways', '/pipeline'],
  ['kafka', 'Kafka', '/pipeline'],
  ['data', 'Delivery', '/pipeline'],
  ['consumers', 'Consumers', '/pipeline'],
  ['clickhouse', 'ClickHouse', '/pipeline'],
  ['deadLetters', 'Dead letters', '/dead-letters'],
] as const satisfies readonly (readonly [keyof StatusReport, string, LinkProps['to']])[];

const Verdicts = ({ report }: { report: StatusReport }) => (
  <ul className="verdicts" aria-label="Verdicts">
    {parts.map(([part, name, to]) => (
      <Verdict key={part} name={name} to={to} judged={report[part]} />
    ))}
  </ul>
);

const Verdict = ({ name, to, judged }: { name: string; to: LinkProps['to']; judged: Judged }) => (
  <li>
    <Link to={to} className="verdict">
      <span className="row row-apart">
        <strong>{name}</strong>
        <Badge state={judged.verdict} />
      </span>
      <span className="soft small">{judged.summary}</span>
    </Link>
  </li>
);

const VerdictsPlace = () => (
  <div className="verdicts">
    {parts.map(([part]) => (
      <div key={part} className="verdict">
        <Skeleton lines={2} />
      </div>
    ))}
  </div>
);

/** What only appears when there is some of it. */
function Worries({ report }: { report: StatusReport }) {
  const spooling = report.gateways.gateways.filter(({ spoolMessages }) => spoolMessages > 0);
  const { migrations } = report;
  return (
    <>
      {spooling.map(({ url, spoolMessages, spoolBytes, spoolOldestAgeSeconds }) => (
        <Notice key={url} tone="attention">
          {`${exactText(spoolMessages)} messages (${bytesText(spoolBytes)}) are on the disk of the gateway ${url} only, the oldest for ${durationText(spoolOldestAgeSeconds)}. They go to Kafka by themselves: do not delete its volume.`}
        </Notice>
      ))}
      {migrations.verdict !== 'ok' && <Notice tone="attention">{`Migrations: ${migrations.summary}`}</Notice>}
    </>
  );
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
          Make a source, send its first event, and watch it arrive.
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
    <Link to="/refused" search={{ source: sourceIdentifier }}>
      <Count value={refused} />
    </Link>
  );
