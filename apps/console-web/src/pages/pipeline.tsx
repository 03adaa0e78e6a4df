import { type Judged, type StatusReport, type TopicStatus } from '@sluice/console-api';
import { Link } from '@tanstack/react-router';
import { useRead } from '../data/use-api';
import { Badge } from '../ui/badge';
import { Card, Page } from '../ui/card';
import { CopyButton } from '../ui/copy';
import { Empty, Notice } from '../ui/empty';
import { Loaded } from '../ui/loaded';
import { Count, exactText } from '../ui/number';
import { Table } from '../ui/table';
import { Age, durationText } from '../ui/zone';
import { GatewayTable } from './gateway-table';

/** Where is it late, and who is it? */
export function PipelinePage() {
  const status = useRead('GET /api/status', {}, { every: 4000 });
  return (
    <Page
      title="Pipeline"
      question="Where is it late, and since when?"
      actions={
        <>
          <CopyButton text="npm run -s operator -- status" label="Copy command" />
          <Link to="/pipeline/ledger" className="button button-plain">
            Is anything lost?
          </Link>
        </>
      }
    >
      <Loaded of={status} lines={14}>
        {(report) => <Report report={report} />}
      </Loaded>
    </Page>
  );
}

const Report = ({ report }: { report: StatusReport }) => (
  <div className="stack">
    <Part title="Gateways" judged={report.gateways}>
      <GatewayTable gateways={report.gateways.gateways} />
    </Part>
    <Part title="Delivery from Kafka to the tables" judged={report.data}>
      <Topics topics={report.data.topics} />
    </Part>
    <Part title="Consumers" judged={report.consumers}>
      <Consumers report={report} />
    </Part>
    <Part title="Tables in ClickHouse" judged={report.clickhouse}>
      <Tables report={report} />
    </Part>
    {report.migrations.verdict !== 'ok' && (
      <Notice tone="attention">{`Migrations: ${report.migrations.summary}`}</Notice>
    )}
    <p className="small soft">{`${exactText(report.kafka.brokers)} Kafka brokers, ClickHouse ${report.clickhouse.version ?? 'unknown'}, ${report.migrations.applied} migrations applied, Sluice ${report.version}`}</p>
  </div>
);

const Part = ({ title, judged, children }: { title: string; judged: Judged; children: React.ReactNode }) => (
  <Card title={title} note={judged.summary} flush actions={<Badge state={judged.verdict} />}>
    {children}
  </Card>
);

const Topics = ({ topics }: { topics: readonly TopicStatus[] }) => (
  <Table
    label="Topics"
    rows={topics}
    rowKey={({ topic }) => topic}
    columns={[
      { label: 'Topic', grow: true, cell: ({ topic }) => <code>{topic}</code> },
      { label: 'Consumer', cell: ({ consumer, members }) => `${consumer} (${members})` },
      { label: 'Waiting', end: true, cell: ({ lag }) => <Count value={lag} /> },
      { label: 'Oldest waits since', end: true, cell: ({ lateSince }) => <Age at={lateSince} /> },
      { label: 'Partitions', end: true, cell: partitionsOf },
      {
        label: 'Kept',
        end: true,
        cell: ({ retentionDays }) => (retentionDays === null ? '–' : `${Math.round(retentionDays * 10) / 10} d`),
      },
    ]}
    empty={<Empty kind="away" title="Kafka could not be asked" />}
  />
);

function partitionsOf({ partitions, behind }: TopicStatus) {
  if (behind.length === 0) return partitions;
  const seconds = Math.max(...behind.map(({ waitsSeconds }) => waitsSeconds));
  return `${behind.length} of ${partitions} behind${seconds < 1 ? '' : `, up to ${durationText(seconds)}`}`;
}

function Consumers({ report: { consumers } }: { report: StatusReport }) {
  const stuck = consumers.consumers.flatMap(({ url, stuck: partitions }) => partitions.map((one) => ({ ...one, url })));
  return (
    <>
      <Table
        label="Consumers"
        rows={consumers.consumers}
        rowKey={({ url }) => url}
        columns={[
          { label: 'Process', grow: true, cell: ({ url }) => <code>{url}</code> },
          { label: 'State', cell: ({ away }) => <Badge state={away === null ? 'ok' : 'away'} /> },
          { label: 'Stuck partitions', end: true, cell: ({ stuck: partitions }) => partitions.length },
          { label: 'Lost offsets', end: true, cell: ({ lostOffsets }) => <Count value={lostOffsets} /> },
        ]}
        empty={
          <Empty kind="none-yet" title="No consumer is known">
            CONSUMER_METRICS_URLS names the management addresses of the consumers.
          </Empty>
        }
      />
      {stuck.length > 0 && (
        <Table
          label="Stuck partitions"
          rows={stuck}
          rowKey={({ url, topic, partition }) => `${url} ${topic} ${partition}`}
          columns={[
            {
              label: 'Stuck partition',
              grow: true,
              cell: ({ topic, partition }) => <code>{`${topic}, ${partition}`}</code>,
            },
            { label: 'At', cell: ({ what }) => what },
            { label: 'Reason', cell: ({ code }) => code },
            { label: 'For', end: true, cell: ({ seconds }) => durationText(seconds) },
          ]}
        />
      )}
    </>
  );
}

const Tables = ({ report: { clickhouse } }: { report: StatusReport }) => (
  <Table
    label="Tables"
    rows={clickhouse.tables}
    rowKey={({ table }) => table}
    columns={[
      { label: 'Table', grow: true, cell: ({ table }) => <code>{table}</code> },
      { label: 'Rows', end: true, cell: ({ rows }) => <Count value={rows} /> },
      { label: 'Newest received', end: true, cell: ({ newestReceived }) => <Age at={newestReceived} /> },
      { label: 'Newest stored', end: true, cell: ({ newestStored }) => <Age at={newestStored} /> },
    ]}
    empty={<Empty kind="away" title="ClickHouse could not be asked" />}
  />
);
