import { type SourceDetail } from '@sluice/console-api';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { serverNow } from '../../data/clock';
import { useLastKnown } from '../../data/last-known';
import { spanSearch, type Span, spanKey, chooseSpan } from '../../data/range';
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
import { describeRefusalGroup } from '../requests/reasons';
import { ReasonCode } from '../requests/refusal';
import { RangePicker } from '../../ui/range-picker';
import { SourcePlansTab } from '../plans/plans-tab';
import { ChangesCard } from '../watch/changes';
import { type KnownSource, withDetail } from './known-source';
import { Setup } from './setup';
import { chooseKind } from './snippets';
import { SourceKeys } from './source-keys';
import { SourceLimitsCard } from './source-limits';
import { SourcePrivacyCard } from './source-privacy';
import { SegmentCard } from './source-segment';
import { SourceStatus } from './source-status';
import { SourceTrouble } from './source-trouble';
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
  const span = chooseSpan(search);
  const mayEdit = useMay('editor');
  // Only the overview needs ClickHouse: the other tabs show what it knows when that is there, and do not wait for it.
  const settings = useRead('GET /api/sources/:id/settings', { path: { id } }, { everyMs: 5000 });
  const detail = useRead(
    'GET /api/sources/:id',
    { path: { id }, query: {} },
    { everyMs: 5000, span, enabled: tab !== 'plans' },
  );
  const source = settings.data && withDetail(settings.data, detail.data);
  return (
    <Page
      title={source ? <Sent text={source.name || id} /> : 'Source'}
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
            search={(now) => ({ ...now, ...noPlan, tab: key })}
            aria-current={tab === key ? 'page' : undefined}
          >
            {label}
          </Link>
        ))}
      </nav>
      {tab === 'overview' && (
        <Loaded of={detail} lines={8}>
          {(data) => <SourceOverview source={data} span={span} />}
        </Loaded>
      )}
      {tab === 'plans' && <SourcePlansTab id={id} mayEdit={mayEdit} />}
      {tab !== 'overview' && tab !== 'plans' && (
        <Loaded of={settings} lines={8}>
          {(data) => <SettingsTab tab={tab} source={withDetail(data, detail.data)} mayEdit={mayEdit} />}
        </Loaded>
      )}
    </Page>
  );
}

/** Parameters that the tab Plans keeps in the address. */
const noPlan = { plan: undefined, with: undefined, text: undefined, page: undefined };

function SettingsTab({ tab, source, mayEdit }: { tab: string; source: KnownSource; mayEdit: boolean }) {
  switch (tab) {
    case 'setup':
      return <SetupCard source={source} mayEdit={mayEdit} />;
    case 'keys':
      return <SourceKeys source={source} mayEdit={mayEdit} />;
    case 'privacy':
      return <SourcePrivacyCard source={source} mayEdit={mayEdit} />;
    case 'limits':
      return <SourceLimitsCard source={source} mayEdit={mayEdit} />;
    default:
      return null;
  }
}

function SourceOverview({ source: newest, span }: { source: SourceDetail; span: Span }) {
  const navigate = useNavigate({ from: '/sources/$id' });
  const lastKnown = useLastKnown(
    `${newest.sourceIdentifier} ${spanKey(span)}`,
    newest,
    ({ series }) => series !== null,
  );
  const source = lastKnown?.value ?? newest;
  const choose = (next: Span): void => {
    void navigate({ search: (now) => ({ ...now, ...spanSearch(next) }) });
  };
  return (
    <div className="stack">
      <SourceTrouble id={source.sourceIdentifier} />
      {lastKnown?.asOf && <Stale at={lastKnown.asOf} reason="ClickHouse is not responding." />}
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
      <ChangesCard source={source.sourceIdentifier} />
      <Card title="Refused and left out" flush>
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
    rowKey={({ kind, reason, isClaim }) => `${isClaim ? 'claimed' : ''} ${kind} ${reason}`}
    columns={[
      {
        label: 'Why',
        grow: true,
        cell: (group) => (
          <span className="stack stack-tight">
            <Sent text={describeRefusalGroup(group)} />
            <ReasonCode {...group} />
            {group.isClaim && (
              <span className="small soft">Sent without a valid key: they only claim to be of this source.</span>
            )}
          </span>
        ),
      },
      { label: 'Newest', end: true, cell: ({ newest }) => <Age at={newest} /> },
      {
        label: 'Requests',
        end: true,
        cell: ({ count, reason, isClaim }) => (
          <Link to="/refused" search={{ source: source.sourceIdentifier, reason }}>
            {isClaim && 'at least '}
            <Count value={count} />
          </Link>
        ),
      },
    ]}
    empty={<Empty kind="well" title="No refusals of this time are stored" />}
  />
);

function SetupCard({ source, mayEdit }: { source: KnownSource; mayEdit: boolean }) {
  const { snippet } = route.useSearch();
  const navigate = useNavigate({ from: '/sources/$id' });
  const [openedAt] = useState(() => new Date(serverNow()).toISOString());
  const since = source.newestReceived === null ? source.createdAt : openedAt;
  return (
    <div className="stack">
      <Card title="Send an event">
        <Setup
          source={source}
          setup={source.setup}
          kind={chooseKind(source.type, snippet)}
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
