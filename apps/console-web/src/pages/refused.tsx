import { type RefusedGroup, type RefusedList, type RefusedRequest } from '@sluice/console-api';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { startOf } from '../data/range';
import { useRead } from '../data/use-api';
import { Badge } from '../ui/badge';
import { Button } from '../ui/button';
import { Card, Page } from '../ui/card';
import { Dialog } from '../ui/dialog';
import { Empty } from '../ui/empty';
import { JsonView } from '../ui/json-view';
import { Chart } from '../ui/chart';
import { Loaded } from '../ui/loaded';
import { Count } from '../ui/number';
import { Sent } from '../ui/sent';
import { Table } from '../ui/table';
import { Age, Time } from '../ui/zone';
import { RangePicker } from './range-picker';
import { meaningOf } from './reasons';
import { fieldsColumn, RefusalFacts } from './refusal';

const route = getRouteApi('/shell/refused');

/** What is refused, and why? */
export function RefusedPage() {
  const { range = '1h', source, reason, id } = route.useSearch();
  const navigate = useNavigate({ from: '/refused' });
  const list = useRead(
    'GET /api/refused',
    { query: { from: startOf(range), ...(source && { source }), ...(reason && { reason }) } },
    { every: 3000 },
  );
  const isFiltered = Boolean(source ?? reason);
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
          <RangePicker
            value={range}
            onChange={(next) => {
              void navigate({ search: (now) => ({ ...now, range: next }), replace: true });
            }}
          />
        </>
      }
    >
      <Card title="Refused requests">
        <Loaded of={list} lines={7}>
          {(data) => <Trend list={data} />}
        </Loaded>
      </Card>
      <Card title="By source and reason" note="Exact counts" flush>
        <Loaded of={list}>{(data) => <Groups groups={data.groups} isFiltered={isFiltered} />}</Loaded>
      </Card>
      <Card title="Samples" note="At most five a minute of each source and reason are kept, for three days" flush>
        <Loaded of={list}>{(data) => <Samples samples={data.samples} />}</Loaded>
      </Card>
      <SampleDrawer
        id={id}
        onClose={() => {
          void navigate({ search: (now) => ({ ...now, id: undefined }) });
        }}
      />
    </Page>
  );
}

const Trend = ({ list: { series, sql } }: { list: RefusedList }) => (
  <Chart
    label="Refused requests"
    times={series.times}
    unit={`per ${series.stepSeconds} s`}
    lines={[{ name: `Refused per ${series.stepSeconds} s`, tone: 'bad', values: series.counts }]}
    sql={sql}
  />
);

const Groups = ({ groups, isFiltered }: { groups: readonly RefusedGroup[]; isFiltered: boolean }) => (
  <Table
    label="Refusals by source and reason"
    rows={groups}
    rowKey={({ sourceIdentifier, kind, reason }) => `${sourceIdentifier} ${kind} ${reason}`}
    columns={[
      { label: 'Reason', cell: ({ kind, reason }) => <Badge state={kind} text={reason} /> },
      { label: 'Source', grow: true, cell: groupSource },
      fieldsColumn,
      { label: 'Newest', end: true, cell: ({ newest }) => <Age at={newest} /> },
      { label: 'Requests', end: true, cell: ({ count }) => <Count value={count} /> },
    ]}
    empty={
      <Empty
        kind={isFiltered ? 'filtered' : 'well'}
        title={isFiltered ? 'Nothing that matches was refused' : 'Nothing was refused in this time'}
      >
        {isFiltered ? 'Clear the filters or choose a longer time.' : 'Every request that arrived was taken.'}
      </Empty>
    }
  />
);

const groupSource = ({ sourceIdentifier, sourceName, reason }: RefusedGroup) =>
  sourceIdentifier ? (
    <Link from="/refused" to="." search={(now) => ({ ...now, source: sourceIdentifier, reason })}>
      <Sent text={sourceName || sourceIdentifier} />
    </Link>
  ) : (
    <span className="soft">not known</span>
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
      { label: 'Route', cell: ({ route: path }) => <code>{path}</code> },
      { label: 'Request', deed: true, end: true, cell: openLink },
    ]}
    empty={<Empty kind="none-in-range" title="No sample is kept of this time" />}
  />
);

const why = ({ problems, reason }: RefusedRequest) => {
  const [first] = problems;
  if (!first) return reason;
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
                  Mend it and try again
                </Link>
              </>
            ) : (
              <p className="soft">
                No body was kept: it is kept only of requests with a valid key that did not pass the checks.
              </p>
            )}
          </div>
        )}
      </Loaded>
    </Dialog>
  );
}
