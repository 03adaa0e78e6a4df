import { type SourceDetail } from '@sluice/console-api';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useLastKnown } from '../../data/last-known';
import { searchOf, type Span, spanKey, spanOf } from '../../data/range';
import { useMay } from '../../data/session';
import { useRead } from '../../data/use-api';
import { Badge, Tag } from '../../ui/badge';
import { Card, Facts, Figure, Figures, Page } from '../../ui/card';
import { Empty } from '../../ui/empty';
import { Loaded, Stale } from '../../ui/loaded';
import { Count } from '../../ui/number';
import { Sent } from '../../ui/sent';
import { Table } from '../../ui/table';
import { Age, Time } from '../../ui/zone';
import { FlowChart } from '../../ui/flow-chart';
import { sentenceOf } from '../requests/reasons';
import { ReasonCode } from '../requests/refusal';
import { RangePicker } from '../../ui/range-picker';
import { Setup } from './setup';
import { kindOf } from './snippets';
import { SourceKeys } from './source-keys';
import { SourcePlansTab } from './source-plans';
import { SourceLimitsCard } from './source-limits';
import { SourcePrivacyCard } from './source-privacy';
import { SegmentCard } from './source-segment';
import { SourceStatus } from './source-status';
import '../../ui/tabs.css';

const route = getRouteApi('/shell/sources/$id');

const tabs = [
  ['overview', 'Overview'],
  ['setup', 'Setup'],
  ['keys', 'Keys'],
  ['limits', 'Limits and origins'],
  ['plans', 'Plans'],
  ['privacy', 'Privacy'],
] as const;

/** One source: whether it is healthy, how to send to it, and its settings. */
export function SourcePage() {
  const { id } = route.useParams();
  const search = route.useSearch();
  const { tab = 'overview' } = search;
  const span = spanOf(search);
  const mayEdit = useMay('editor');
  const detail = useRead('GET /api/sources/:id', { path: { id }, query: {} }, { everyMs: 5000, span });
  const source = detail.data;
  return (
    <Page
      title={<Sent text={source?.name ?? id} />}
      question={
        <span className="row">
          <code>{id}</code>
          {source && <Tag text={source.type} />}
          {source && <Badge state={source.status} />}
        </span>
      }
      actions={
        <>
          <Link to="/live" search={{ source: id }} className="button button-plain">
            Watch live
          </Link>
          {mayEdit && source && <SourceStatus source={source} />}
        </>
      }
    >
      <nav className="tabs" aria-label="Parts of the source">
        {tabs.map(([key, label]) => (
          <Link
            key={key}
            from="/sources/$id"
            to="."
            search={(now) => ({ ...now, tab: key })}
            aria-current={tab === key ? 'page' : undefined}
          >
            {label}
          </Link>
        ))}
      </nav>
      <Loaded of={detail} lines={8}>
        {(data) => (
          <>
            {tab === 'overview' && <SourceOverview source={data} span={span} />}
            {tab === 'setup' && <SetupCard source={data} mayEdit={mayEdit} />}
            {tab === 'keys' && <SourceKeys source={data} mayEdit={mayEdit} />}
            {tab === 'plans' && <SourcePlansTab id={id} span={span} mayEdit={mayEdit} />}
            {tab === 'privacy' && <SourcePrivacyCard source={data} mayEdit={mayEdit} />}
            {tab === 'limits' && <SourceLimitsCard source={data} mayEdit={mayEdit} />}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function SourceOverview({ source: newest, span }: { source: SourceDetail; span: Span }) {
  const navigate = useNavigate({ from: '/sources/$id' });
  const known = useLastKnown(`${newest.sourceIdentifier} ${spanKey(span)}`, newest, ({ series }) => series !== null);
  const source = known?.value ?? newest;
  const choose = (next: Span): void => {
    void navigate({ search: (now) => ({ ...now, ...searchOf(next) }) });
  };
  return (
    <div className="stack">
      {known?.asOf && <Stale at={known.asOf} reason="ClickHouse is not responding." />}
      <Card>
        <Figures>
          <Figure name="Newest event" value={<Age at={source.newestReceived} />} />
          <Figure name="Events, last hour" value={<Count value={source.eventsLastHour} />} />
          <Figure name="Refused, last hour" value={<Count value={source.refusedLastHour} />} />
          <Figure name="Messages today (UTC)" value={<Count value={source.messagesToday} />} />
        </Figures>
      </Card>
      <Card title="Events per second" actions={<RangePicker value={span} onChange={choose} />}>
        {source.series ? (
          <FlowChart label="Events per second of this source" series={source.series} onZoom={choose} />
        ) : (
          <Empty kind="unreachable" title="The chart cannot be loaded right now">
            ClickHouse is not responding.
          </Empty>
        )}
      </Card>
      <Card title="Refused" flush>
        {source.series ? (
          <Refusals source={source} />
        ) : (
          <Empty kind="unreachable" title="Refusals cannot be loaded right now" />
        )}
      </Card>
    </div>
  );
}

const Refusals = ({ source }: { source: SourceDetail }) => (
  <Table
    label="Refusals of this source"
    rows={source.refusals}
    rowKey={({ kind, reason }) => `${kind} ${reason}`}
    columns={[
      {
        label: 'Why',
        grow: true,
        cell: (group) => (
          <span className="stack stack-tight">
            <Sent text={sentenceOf(group)} />
            <ReasonCode {...group} />
          </span>
        ),
      },
      { label: 'Newest', end: true, cell: ({ newest }) => <Age at={newest} /> },
      {
        label: 'Requests',
        end: true,
        cell: ({ count, reason }) => (
          <Link to="/refused" search={{ source: source.sourceIdentifier, reason }}>
            <Count value={count} />
          </Link>
        ),
      },
    ]}
    empty={<Empty kind="well" title="Nothing was refused in this time" />}
  />
);

function SetupCard({ source, mayEdit }: { source: SourceDetail; mayEdit: boolean }) {
  const { snippet } = route.useSearch();
  const navigate = useNavigate({ from: '/sources/$id' });
  const [openedAt] = useState(() => new Date().toISOString());
  const since = source.newestReceived === null ? source.createdAt : openedAt;
  return (
    <div className="stack">
      <Card title="Send an event">
        <Setup
          source={source}
          setup={source.setup}
          kind={kindOf(source.type, snippet)}
          onKind={(kind) => {
            void navigate({ search: (now) => ({ ...now, snippet: kind }), replace: true });
          }}
          since={since}
        />
      </Card>
      {source.type !== 'catalog-api' && <SegmentCard source={source} mayEdit={mayEdit} />}
      <Card title="Facts">
        <Facts
          facts={[
            ['Gateway', <code key="gateway">{source.setup.gatewayUrl}</code>],
            ...(source.type === 'web-sdk'
              ? [['Web SDK', <code key="script">{source.setup.scriptUrl}</code>] as const]
              : []),
            ['Created', <Time key="created" at={source.createdAt} />],
          ]}
        />
      </Card>
    </div>
  );
}
