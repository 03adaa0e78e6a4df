import { type ClaimedSource, type RefusedGroup, type RefusedList, type RefusedRequest } from '@sluice/console-api';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { spanSearch, type Span, chooseSpan } from '../../data/range';
import { useRead } from '../../data/use-api';
import { Badge } from '../../ui/badge';
import { Button } from '../../ui/button';
import { Card, Page } from '../../ui/card';
import { Dialog } from '../../ui/dialog';
import { Empty } from '../../ui/empty';
import { JsonView } from '../../ui/json-view';
import { Chart } from '../../ui/chart';
import { Loaded } from '../../ui/loaded';
import { Count, exactText } from '../../ui/number';
import { Pages } from '../../ui/pages';
import { Sent } from '../../ui/sent';
import { Skeleton } from '../../ui/skeleton';
import { Table } from '../../ui/table';
import { Age, durationText, Time } from '../../ui/zone';
import { roundZoom } from '../../ui/flow-chart';
import { RangePicker } from '../../ui/range-picker';
import './refusal.css';
import { explainCode, describeRefusalGroup } from './reasons';
import { ReasonCode, RefusalFacts, titleOfKind } from './refusal';
import { ClearRefusedFilters, firstPages, RefusedFilters } from './refused-filters';

const route = getRouteApi('/shell/refused');
/** With 20 samples of claims, the page stays below 1,500 elements. */
const pageSamples = 12;
const pageGroups = 20;

/** Refused requests: how many, why, and samples. */
export function RefusedPage() {
  const search = route.useSearch();
  const { source, reason, text, page = 1, before, id } = search;
  const span = chooseSpan(search);
  const navigate = useNavigate({ from: '/refused' });
  const filter = { ...(source && { source }), ...(reason && { reason }), ...(text && { text }) };
  const pages = { skip: (page - 1) * pageGroups, groups: pageGroups, limit: pageSamples, ...(before && { before }) };
  const list = useRead('GET /api/refused', { query: { ...filter, ...pages } }, { everyMs: 3000, span });
  const isFiltered = Object.keys(filter).length > 0;
  const choose = (next: Span): void => {
    void navigate({ search: (now) => ({ ...now, ...spanSearch(next), ...firstPages }) });
  };
  return (
    <Page
      title="Refused and left out"
      question="What was refused or left out, and why?"
      actions={
        <>
          <ClearRefusedFilters />
          <RangePicker value={span} onChange={choose} />
        </>
      }
    >
      <RefusedFilters />
      {list.data === undefined && !list.error ? (
        <RefusedCards isFiltered={isFiltered} onZoom={choose} />
      ) : (
        <Loaded of={list}>{(data) => <RefusedCards list={data} isFiltered={isFiltered} onZoom={choose} />}</Loaded>
      )}
      <SampleDrawer
        id={id}
        onClose={() => {
          void navigate({ search: (now) => ({ ...now, id: undefined }) });
        }}
      />
    </Page>
  );
}

interface CardsProps {
  /** Missing before the first answer: what is known without it stands at once. */
  list?: RefusedList;
  isFiltered: boolean;
  onZoom: (span: Span) => void;
}

function RefusedCards({ list, isFiltered, onZoom }: CardsProps) {
  const { page = 1 } = route.useSearch();
  return (
    <>
      <Card title="Refused requests" note={list && `In steps of ${durationText(list.series.stepSeconds)}`}>
        {list ? <Trend list={list} onZoom={onZoom} /> : <Skeleton lines={7} />}
      </Card>
      <Card
        title="By reason and source"
        note="Exact counts; a reason opens its samples. A request without a valid key only claims a source, and counts for none."
        flush
      >
        {list ? <GroupTable groups={list.groups} isFiltered={isFiltered} /> : <Skeleton lines={6} />}
      </Card>
      {list && <GroupPages page={page} matchCount={Math.max(list.found.groups, list.found.claims)} />}
      <Card
        title="Samples"
        note="Five a minute of each source and reason, more of a source that someone looks at; kept for 30 days"
        flush
      >
        {list ? <Samples samples={list.samples} /> : <Skeleton lines={6} />}
      </Card>
      {list && <OlderSamples next={list.next} />}
    </>
  );
}

const Trend = ({ list: { series, sql }, onZoom }: { list: RefusedList; onZoom: (span: Span) => void }) => (
  <Chart
    label="Refused requests"
    times={series.times}
    unit={`per ${durationText(series.stepSeconds)}`}
    lines={[{ name: 'Refused', tone: 'bad', values: series.counts }]}
    sql={sql}
    onZoom={roundZoom(onZoom)}
  />
);

function GroupPages({ page, matchCount }: { page: number; matchCount: number }) {
  const navigate = useNavigate({ from: '/refused' });
  return (
    <Pages
      label="Pages of reasons and sources"
      {...{ page, matchCount }}
      size={pageGroups}
      onPage={(to) => {
        void navigate({ search: (now) => ({ ...now, page: to === 1 ? undefined : to }) });
      }}
    />
  );
}

/** Goes to older samples, and back to the newest; the address holds the place. */
function OlderSamples({ next }: { next: string | null }) {
  const { before } = route.useSearch();
  const navigate = useNavigate({ from: '/refused' });
  const go = (to: string | undefined): void => {
    void navigate({ search: (now) => ({ ...now, before: to }) });
  };
  if (next === null && before === undefined) return null;
  return (
    <div className="row">
      {before !== undefined && <Button onClick={() => go(undefined)}>Newest samples</Button>}
      {next !== null && <Button onClick={() => go(next)}>Older samples</Button>}
    </div>
  );
}

const GroupTable = ({ groups, isFiltered }: { groups: readonly RefusedGroup[]; isFiltered: boolean }) => (
  <Table
    label="Refusals by source and reason"
    rows={groups}
    rowKey={({ sourceIdentifier, isClaim, kind, reason }) =>
      `${sourceIdentifier} ${isClaim ? 'claimed' : ''} ${kind} ${reason}`
    }
    columns={[
      { label: 'Why', grow: true, cell: (group) => <GroupReason group={group} /> },
      { label: 'Source', cell: groupSource },
      { label: 'First seen', end: true, isMinor: true, cell: ({ firstSeen }) => <Age at={firstSeen} /> },
      { label: 'Newest', end: true, cell: ({ newest }) => <Age at={newest} /> },
      { label: 'Requests', end: true, cell: groupCount },
    ]}
    empty={
      <Empty
        kind={isFiltered ? 'filtered' : 'well'}
        title={isFiltered ? 'No matching refusals' : 'No refusals of this time are stored'}
      >
        {isFiltered ? 'Clear the filters or choose a longer time.' : 'Those that still wait in Kafka come later.'}
      </Empty>
    }
  />
);

/** The sentence leads and opens the samples; the code and the fields follow. */
const GroupReason = ({ group }: { group: RefusedGroup }) => (
  <span className="stack stack-tight">
    <Link
      from="/refused"
      to="."
      search={(now) => ({
        ...now,
        ...firstPages,
        reason: group.reason,
        source: group.sourceIdentifier || undefined,
      })}
    >
      <Sent text={describeRefusalGroup(group)} />
    </Link>
    <ReasonCode kind={group.kind} reason={group.reason} />
  </span>
);

const groupSource = ({ sourceIdentifier, sourceName, isClaim, claims, count }: RefusedGroup) => (
  <>
    {isClaim && <span className="soft">claims to be </span>}
    <SourceName id={sourceIdentifier} name={sourceName} />
    {claims && <Claims {...claims} count={count} />}
  </>
);

/** The sources that requests without a valid key claim to be, within the row that counts these requests. */
const Claims = ({
  sources,
  found: sourceCount,
  count,
}: NonNullable<RefusedGroup['claims']> & Pick<RefusedGroup, 'count'>) => (
  <ul className="claims small soft">
    {sources.map((claim) => (
      <li key={claim.sourceIdentifier}>
        {/* Samples arrive before the count of their row. */}
        <Claim {...claim} count={Math.min(claim.count, count)} />
      </li>
    ))}
    {sourceCount > sources.length && <li>{`and ${exactText(sourceCount - sources.length)} other sources`}</li>}
  </ul>
);

const Claim = ({ sourceIdentifier, sourceName, count }: ClaimedSource) => (
  <>
    {`at least ${exactText(count)} ${count === 1 ? 'claims' : 'claim'} to be `}
    <SourceName id={sourceIdentifier} name={sourceName} />
  </>
);

/** Claims are not counted by source, so only what was kept is known. */
const groupCount = ({ count, isClaim }: RefusedGroup) => (
  <>
    {isClaim && <span className="soft">at least </span>}
    <Count value={count} />
  </>
);

const sampleSource = ({ sourceIdentifier, sourceName, claimedSource, claimedName }: RefusedRequest) =>
  claimedSource === undefined ? (
    <SourceName id={sourceIdentifier} name={sourceName} />
  ) : (
    <>
      <span className="soft">claims to be </span>
      <SourceName id={claimedSource} name={claimedName} />
    </>
  );

const SourceName = ({ id, name }: { id: string; name: string | undefined }) =>
  id === '' ? (
    <span className="soft">unknown</span>
  ) : (
    <Link to="/sources/$id" params={{ id }}>
      <Sent className="any-length" text={name === undefined || name === '' ? id : name} />
    </Link>
  );

const Samples = ({ samples }: { samples: readonly RefusedRequest[] }) => (
  <Table
    label="Refused requests that were kept"
    rows={samples}
    rowKey={({ requestId, kind }) => `${requestId} ${kind}`}
    columns={[
      { label: 'Time', cell: ({ at }) => <Time at={at} millis /> },
      { label: 'Status', cell: ({ kind, status }) => <Badge state={kind} text={String(status)} /> },
      { label: 'Why', grow: true, cell: why },
      { label: 'Source', cell: sampleSource },
      { label: 'Route', isMinor: true, cell: ({ route: path }) => <Sent className="mono any-length" text={path} /> },
      { label: 'Request', isButton: true, end: true, cell: openLink },
    ]}
    empty={<Empty kind="none-in-range" title="No samples in this time" />}
  />
);

/** Says the first problem, or the cause next to a code, which says more. */
const why = ({ problems, reason }: RefusedRequest) => {
  const first =
    problems.find(({ field, message }) => field !== '' || explainCode(message) === undefined) ?? problems[0];
  if (!first) return <Sent text={explainCode(reason) ?? reason} />;
  if (first.field === '') return <Sent text={explainCode(first.message) ?? first.message} />;
  return (
    <>
      <strong>
        <Sent text={first.field} />
      </strong>{' '}
      <Sent text={first.message} />
      {problems.length > 1 && <span className="soft">{` and ${problems.length - 1} more`}</span>}
    </>
  );
};

const openLink = ({ requestId }: RefusedRequest) => (
  <Link from="/refused" to="." search={(now) => ({ ...now, id: requestId })}>
    Open
  </Link>
);

function SampleDrawer({ id, onClose }: { id: string | undefined; onClose: () => void }) {
  const detail = useRead('GET /api/refused/:id', { path: { id: id ?? '' } }, { enabled: id !== undefined });
  return (
    <Dialog
      open={id !== undefined}
      onClose={onClose}
      title={detail.data ? titleOfKind(detail.data.kind) : 'Request'}
      side="end"
    >
      <Loaded of={detail} lines={8}>
        {(refusal) => (
          <div className="stack">
            <RefusalFacts refusal={refusal} />
            {refusal.body ? (
              <>
                <h3>What was sent</h3>
                <JsonView payload={refusal.body} label="Body of the request" />
                <Link to="/try" search={{ refused: refusal.requestId }} className="button button-primary">
                  Edit and try again
                </Link>
              </>
            ) : (
              <p className="soft">
                No body was kept. Bodies are kept only for requests that had a valid key and failed validation.
              </p>
            )}
          </div>
        )}
      </Loaded>
    </Dialog>
  );
}
