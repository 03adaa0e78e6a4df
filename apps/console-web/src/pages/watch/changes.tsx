import { describeChange, type ShownChange, type ShownChanges } from '@sluice/console-api';
import { Link } from '@tanstack/react-router';
import { useRead } from '../../data/use-api';
import { Badge, Tag } from '../../ui/badge';
import { Card } from '../../ui/card';
import { Empty } from '../../ui/empty';
import { Loaded } from '../../ui/loaded';
import { exactText } from '../../ui/number';
import { Sent } from '../../ui/sent';
import { Table } from '../../ui/table';
import { Age, Time } from '../../ui/zone';

const everyMs = 60_000;
const maxOnCard = 5;

export const useChanges = (source?: string) =>
  useRead('GET /api/watch', { query: source === undefined ? {} : { source } }, { everyMs });

/** Open changes of a source, the newest first; nothing without one, because most sources have none. */
export function ChangesCard({ source }: { source: string }) {
  const changes = useChanges(source);
  const openChanges = listOpenChanges(changes.data);
  if (openChanges.length === 0) return null;
  return (
    <Card
      title="Changes of what arrives"
      note={changes.data && <JudgedText state={changes.data} />}
      flush
      actions={<Link to="/changes">All changes</Link>}
    >
      <Loaded of={changes} lines={2}>
        {({ run }) => <ChangeTable changes={openChanges.slice(0, maxOnCard)} lastRun={run} withSource={false} />}
      </Loaded>
    </Card>
  );
}

/** Changes that last and that nobody muted, the newest first. */
export const listOpenChanges = (state: ShownChanges | undefined): ShownChange[] =>
  (state?.changes ?? []).filter(({ ended, mute }) => ended === null && mute === null);

/** Says up to when everything was judged, and of how many events too little is known. */
export const JudgedText = ({ state: { run } }: { state: ShownChanges }) =>
  run && (
    <>
      Judged up to <Time at={run.judgedUntil} />: {exactText(run.judged)} events
      {run.unknown > 0 && `; of ${exactText(run.unknown)} of them the history says too little`}
    </>
  );

interface TableProps {
  changes: readonly ShownChange[];
  lastRun: ShownChanges['run'];
  withSource: boolean;
}

export const ChangeTable = ({ changes, lastRun, withSource }: TableProps) => (
  <Table
    label="Changes of what arrives"
    rows={changes}
    rowKey={({ id }) => id}
    columns={[
      {
        label: 'Change',
        grow: true,
        cell: (change) => (
          <span className="stack stack-tight">
            <ChangeLink change={change} />
            {withSource && <span className="small">{renderSourceLink(change)}</span>}
          </span>
        ),
      },
      { label: 'State', cell: renderState },
      { label: 'Found', end: true, cell: (change) => <Age at={change.found} /> },
    ]}
    empty={<NoChanges lastRun={lastRun} />}
  />
);

function NoChanges({ lastRun }: { lastRun: ShownChanges['run'] }) {
  if (!lastRun)
    return (
      <Empty kind="waiting" title="Nothing was judged yet">
        The first run comes three minutes after a full hour. Events are known after three weeks.
      </Empty>
    );
  if (lastRun.judged > lastRun.unknown) return <Empty kind="well" title="Nothing stopped, fell or changed" />;
  return (
    <Empty kind="waiting" title="No event is known for long enough yet">
      What to expect of an event is known after three weeks.
    </Empty>
  );
}

export const ChangeLink = ({ change }: { change: ShownChange }) => (
  <Link to="/changes/$id" params={{ id: change.id }}>
    <ChangeSentence change={change} />
  </Link>
);

/** A sentence about a change, with its event. */
export const ChangeSentence = ({ change }: { change: ShownChange }) => (
  <>
    {change.event !== '' && (
      <>
        <strong>
          <Sent text={change.event} />
        </strong>{' '}
      </>
    )}
    <Sent text={describeChange(change)} />
  </>
);

export const renderSourceLink = ({ source, sourceName }: ShownChange) => (
  <Link to="/sources/$id" params={{ id: source }}>
    <Sent text={sourceName || source} />
  </Link>
);

export const renderState = ({ ended, mute }: Pick<ShownChange, 'ended' | 'mute'>) =>
  ended !== null ? <Tag text="ended" /> : mute ? <Tag text="muted" /> : <Badge state="open" />;
