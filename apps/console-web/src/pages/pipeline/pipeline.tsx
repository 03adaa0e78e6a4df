import {
  type ConsumerStatus,
  describeStuck,
  type Judged,
  type StatusReport,
  type TableStatus,
  type TopicStatus,
  type Verdict,
} from '@sluice/console-api';
import { Link } from '@tanstack/react-router';
import { type Known, useLastKnown } from '../../data/last-known';
import { isUnknown } from '../../data/status';
import { useStatus } from '../../data/now';
import { Badge } from '../../ui/badge';
import { Card, Page } from '../../ui/card';
import { CopyButton } from '../../ui/copy';
import { Empty, Notice } from '../../ui/empty';
import { Loaded, Stale } from '../../ui/loaded';
import { Count, countWords, exactText } from '../../ui/number';
import { Table } from '../../ui/table';
import { Age, durationText, Unknown } from '../../ui/zone';
import { GatewayTable } from './gateway-table';
import { Process } from './process';

/** Each part of the pipeline: what is late there, and since when. */
export function PipelinePage() {
  const status = useStatus();
  return (
    <Page
      title="Pipeline"
      question="What is late, and since when?"
      actions={
        <>
          <CopyButton text="npm run -s operator -- status" label="Copy command" />
          <Link to="/runbooks" className="button button-plain">
            Runbooks
          </Link>
          <Link to="/pipeline/ledger" className="button button-plain">
            Check the ledger
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
    <Part title="Gateways" part={report.gateways} isEmpty={({ gateways }) => gateways.length === 0}>
      {({ gateways }) => <GatewayTable gateways={gateways} />}
    </Part>
    <Part title="Delivery from Kafka to the tables" part={report.data} isEmpty={({ topics }) => topics.length === 0}>
      {({ topics }) => <Topics topics={topics} />}
    </Part>
    <Part title="Consumers" part={report.consumers} isEmpty={({ consumers }) => consumers.length === 0}>
      {({ consumers }) => <Consumers consumers={consumers} />}
    </Part>
    <Part title="Tables in ClickHouse" part={report.clickhouse} isEmpty={({ tables }) => tables.length === 0}>
      {({ tables }) => <Tables tables={tables} />}
    </Part>
    {report.migrations.verdict !== 'ok' && (
      <Notice tone="attention">{`Migrations: ${report.migrations.summary}`}</Notice>
    )}
    <p className="small soft">{formatVersions(report)}</p>
  </div>
);

const formatVersions = ({ kafka, clickhouse, migrations, version }: StatusReport): string =>
  [
    ...(isUnknown(kafka.verdict)
      ? []
      : [`${exactText(kafka.brokers)} Kafka ${kafka.brokers === 1 ? 'broker' : 'brokers'}`]),
    ...(clickhouse.version === null ? [] : [`ClickHouse ${clickhouse.version}`]),
    ...(isUnknown(migrations.verdict) ? [] : [`${migrations.applied} migrations applied`]),
    `Sluice ${version}`,
  ].join(', ');

interface PartProps<Value extends Judged> {
  title: string;
  part: Value;
  isEmpty: (part: Value) => boolean;
  children: (part: Value) => React.ReactNode;
}

/** A part of the report. While its server is not responding, the lists that were known last stay. */
function Part<Value extends Judged>({ title, part, isEmpty, children }: PartProps<Value>) {
  const lastKnown: Known<Value> | undefined = useLastKnown(title, part, (candidate) => !isUnknown(candidate.verdict));
  const value = isUnknown(part.verdict) && isEmpty(part) ? (lastKnown?.value ?? part) : part;
  return (
    <Card title={title} note={part.summary} flush actions={<Badge state={part.verdict} />}>
      {lastKnown?.asOf && <Stale at={lastKnown.asOf} reason="What is shown was read before the outage." />}
      {children(value)}
    </Card>
  );
}

const Topics = ({ topics }: { topics: readonly TopicStatus[] }) => (
  <Table
    label="Topics"
    rows={topics}
    rowKey={({ topic }) => topic}
    columns={[
      { label: 'Topic', grow: true, cell: ({ topic }) => <code>{topic}</code> },
      {
        label: 'Consumer',
        cell: ({ consumer, members }) => `${consumer}, ${countWords(members, 'process', 'processes')}`,
      },
      { label: 'Waiting', end: true, cell: ({ lag }) => <Count value={lag} /> },
      { label: 'Oldest waiting since', end: true, cell: ({ lateSince }) => <Age at={lateSince} /> },
      { label: 'Partitions', end: true, cell: describePartitions },
      {
        label: 'Retention',
        end: true,
        cell: ({ retentionDays }) => (retentionDays === null ? '–' : `${Math.round(retentionDays * 10) / 10} d`),
      },
    ]}
    empty={<Empty kind="unreachable" title="Kafka did not respond" />}
  />
);

const describePartitions = ({ partitions, behind }: TopicStatus) =>
  behind.length === 0 ? partitions : `${behind.length} of ${partitions} behind`;

const judgeConsumer = ({ unreachable, stuck, foreignViews = [] }: ConsumerStatus): Verdict =>
  unreachable !== null ? 'unreachable' : stuck.length + foreignViews.length > 0 ? 'attention' : 'ok';

/** Materialized views of others that fail in INSERTs. */
function ForeignViews({ consumers }: { consumers: readonly ConsumerStatus[] }) {
  const rows = consumers.flatMap(({ url, foreignViews = [] }) => foreignViews.map((view) => ({ ...view, url })));
  if (rows.length === 0) return null;
  return (
    <Table
      label="Views of others"
      rows={rows}
      rowKey={({ url, table, view }) => `${url} ${table} ${view}`}
      columns={[
        { label: 'View of others', grow: true, cell: ({ view }) => view },
        { label: 'Table', cell: ({ table }) => table },
        { label: 'Error', cell: ({ code }) => code },
      ]}
    />
  );
}

function Consumers({ consumers }: { consumers: readonly ConsumerStatus[] }) {
  const stuck = consumers.flatMap(({ url, stuck: partitions }) =>
    partitions.map((partition) => ({ ...partition, url })),
  );
  return (
    <>
      <Table
        label="Consumers"
        rows={consumers}
        rowKey={({ url }) => url}
        columns={[
          { label: 'Process', grow: true, cell: (consumer) => <Process {...consumer} /> },
          { label: 'State', cell: (consumer) => <Badge state={judgeConsumer(consumer)} /> },
          {
            label: 'Stuck partitions',
            end: true,
            cell: ({ unreachable, stuck: partitions }) => (unreachable === null ? partitions.length : <Unknown />),
          },
          {
            label: 'Lost offsets',
            end: true,
            cell: ({ unreachable, lostOffsets }) => <Count value={unreachable === null ? lostOffsets : null} />,
          },
        ]}
        empty={
          <Empty kind="none-yet" title="No consumer is known">
            CONSUMER_METRICS_URLS names the management addresses of the consumers.
          </Empty>
        }
      />
      <ForeignViews consumers={consumers} />
      {stuck.length > 0 && (
        <Table
          label="Stuck partitions"
          rows={stuck}
          rowKey={({ url, topic, partition }) => `${url} ${topic} ${partition}`}
          columns={[
            {
              label: 'Stuck partition',
              grow: true,
              cell: ({ topic, partition }) => `${topic}, partition ${partition}`,
            },
            { label: 'Reason', cell: describeStuck },
            { label: 'For', end: true, cell: ({ seconds }) => durationText(seconds) },
          ]}
        />
      )}
    </>
  );
}

const Tables = ({ tables }: { tables: readonly TableStatus[] }) => (
  <Table
    label="Tables"
    rows={tables}
    rowKey={({ table }) => table}
    columns={[
      { label: 'Table', grow: true, cell: ({ table }) => <code>{table}</code> },
      { label: 'Rows', end: true, cell: ({ rows }) => <Count value={rows} /> },
      { label: 'Newest received', end: true, cell: ({ newestReceived }) => <Age at={newestReceived} /> },
      { label: 'Newest stored', end: true, cell: ({ newestStored }) => <Age at={newestStored} /> },
    ]}
    empty={<Empty kind="unreachable" title="ClickHouse did not respond" />}
  />
);
