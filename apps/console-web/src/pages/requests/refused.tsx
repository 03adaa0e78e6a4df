import { type RefusedGroup, type RefusedList, type RefusedRequest } from '@sluice/console-api';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { searchOf, type Span, spanOf } from '../../data/range';
import { useRead } from '../../data/use-api';
import { Badge } from '../../ui/badge';
import { Button } from '../../ui/button';
import { Card, Page } from '../../ui/card';
import { Dialog } from '../../ui/dialog';
import { Empty } from '../../ui/empty';
import { JsonView } from '../../ui/json-view';
import { Chart } from '../../ui/chart';
import { Loaded } from '../../ui/loaded';
import { Count } from '../../ui/number';
import { Sent } from '../../ui/sent';
import { Table } from '../../ui/table';
import { Age, Time } from '../../ui/zone';
import { zoomOf } from '../../ui/flow-chart';
import { RangePicker } from '../../ui/range-picker';
import './refusal.css';
import { meaningOf, sentenceOf } from './reasons';
import { ReasonCode, RefusalFacts } from './refusal';

const route = getRouteApi('/shell/refused');

/** Refused requests: how many, why, and samples. */
export function RefusedPage() {
  const search = route.useSearch();
  const { source, reason, id } = search;
  const span = spanOf(search);
  const navigate = useNavigate({ from: '/refused' });
  const list = useRead(
    'GET /api/refused',
    { query: { ...(source && { source }), ...(reason && { reason }) } },
    { everyMs: 3000, span },
  );
  const isFiltered = Boolean(source ?? reason);
  const choose = (next: Span): void => {
    void navigate({ search: (now) => ({ ...now, ...searchOf(next) }) });
  };
  const clear = (): void => {
    void navigate({ search: (now) => ({ ...now, source: undefined, reason: undefined }) });
  };
  return (
    <Page
      title="Refused"
      question="What was refused, and why?"
      actions={
        <>
          {isFiltered && <Button onClick={clear}>Clear the filters</Button>}
          <RangePicker value={span} onChange={choose} />
        </>
      }
    >
      <Loaded of={list} lines={14}>
        {(data) => (
          <>
            <Card title="Refused requests">
              <Trend list={data} onZoom={choose} />
            </Card>
            <Card title="By reason and source" note="Exact counts; a reason opens its samples" flush>
              <Groups groups={data.groups} isFiltered={isFiltered} />
            </Card>
            <Card title="Samples" note="At most five per minute, source and reason, kept for three days" flush>
              <Samples samples={data.samples} />
            </Card>
          </>
        )}
      </Loaded>
      <SampleDrawer
        id={id}
        onClose={() => {
          void navigate({ search: (now) => ({ ...now, id: undefined }) });
        }}
      />
    </Page>
  );
}

const Trend = ({ list: { series, sql }, onZoom }: { list: RefusedList; onZoom: (span: Span) => void }) => (
  <Chart
    label="Refused requests"
    times={series.times}
    unit={`per ${series.stepSeconds} s`}
    lines={[{ name: `Refused per ${series.stepSeconds} s`, tone: 'bad', values: series.counts }]}
    sql={sql}
    onZoom={zoomOf(onZoom)}
  />
);

const Groups = ({ groups, isFiltered }: { groups: readonly RefusedGroup[]; isFiltered: boolean }) => (
  <Table
    label="Refusals by source and reason"
    rows={groups}
    rowKey={({ sourceIdentifier, kind, reason }) => `${sourceIdentifier} ${kind} ${reason}`}
    columns={[
      { label: 'Why', grow: true, cell: (group) => <GroupReason group={group} /> },
      { label: 'Source', cell: groupSource },
      { label: 'First seen', end: true, cell: ({ firstSeen }) => <Age at={firstSeen} /> },
      { label: 'Newest', end: true, cell: ({ newest }) => <Age at={newest} /> },
      { label: 'Requests', end: true, cell: ({ count }) => <Count value={count} /> },
    ]}
    empty={
      <Empty
        kind={isFiltered ? 'filtered' : 'well'}
        title={isFiltered ? 'No matching refusals' : 'Nothing was refused in this time'}
      >
        {isFiltered ? 'Clear the filters or choose a longer time.' : 'Every request was accepted.'}
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
      search={(now) => ({ ...now, reason: group.reason, source: group.sourceIdentifier || undefined })}
    >
      <Sent text={sentenceOf(group)} />
    </Link>
    <ReasonCode kind={group.kind} reason={group.reason} />
  </span>
);

const groupSource = ({ sourceIdentifier, sourceName }: RefusedGroup) => (
  <SourceName id={sourceIdentifier} name={sourceName} />
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
      {
        label: 'Source',
        cell: ({ sourceIdentifier, sourceName }) => <SourceName id={sourceIdentifier} name={sourceName} />,
      },
      { label: 'Route', cell: ({ route: path }) => <Sent className="mono any-length" text={path} /> },
      { label: 'Request', isButton: true, end: true, cell: openLink },
    ]}
    empty={<Empty kind="none-in-range" title="No samples in this time" />}
  />
);

const why = ({ problems, reason }: RefusedRequest) => {
  const [first] = problems;
  if (!first) return <Sent text={meaningOf(reason) ?? reason} />;
  if (first.field === '') return <Sent text={meaningOf(first.message) ?? first.message} />;
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
    <Dialog open={id !== undefined} onClose={onClose} title="Refused request" side="end">
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
