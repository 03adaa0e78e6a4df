import { type ChangeDetail, type ShownChange } from '@sluice/console-api';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type Span, spanSearch } from '../../data/range';
import { useRead } from '../../data/use-api';
import { Card, Facts, Page } from '../../ui/card';
import { Chart } from '../../ui/chart';
import { Loaded } from '../../ui/loaded';
import { Sent } from '../../ui/sent';
import { Time } from '../../ui/zone';
import { ChangeAdvice, ChangeTitle } from './change-title';
import { ChangeSentence, renderState } from './changes';
import { findFirstHour } from './first-hour';
import { MuteButton } from './mute';

const route = getRouteApi('/shell/changes/$id');
const hourMs = 3_600_000;

/** One change: what was found, and the hours that show it. */
export function ChangePage() {
  const { id } = route.useParams();
  const detail = useRead('GET /api/watch/:id', { path: { id } }, { everyMs: 60_000 });
  return (
    <Page
      title={detail.data ? <ChangeTitle change={detail.data.change} /> : 'Change'}
      question="What changed, since when, and with what?"
      actions={<Link to="/changes">All changes</Link>}
    >
      <Loaded of={detail} lines={8}>
        {(data) => <Change detail={data} />}
      </Loaded>
    </Page>
  );
}

function Change({ detail: { change, hours, unit } }: { detail: ChangeDetail }) {
  const firstHour = findFirstHour(change.kind, change.began, hours);
  const endMs = Date.parse(hours.at(-1)?.hour ?? firstHour) + hourMs;
  return (
    <div className="stack">
      <Card title={<ChangeSentence change={change} />} actions={<MessagesLink {...{ change, firstHour, endMs }} />}>
        <ChangeFacts change={change} firstHour={firstHour} />
      </Card>
      <HoursCard {...{ change, hours, unit, firstHour, endMs }} />
      <Card
        title="What to do"
        actions={
          <>
            <MuteButton change={change} />
            <Link to="/runbooks/$id" params={{ id: 'eventschanged' }}>
              Runbook
            </Link>
          </>
        }
      >
        <div className="stack stack-tight">
          <ChangeAdvice change={change} />
          <p className="soft">
            If it is meant to be so, mute it, here or by <code>operator watch mute</code>: it raises no alarm for that
            time.
          </p>
        </div>
      </Card>
    </div>
  );
}

function ChangeFacts({ change, firstHour }: { change: ShownChange; firstHour: string }) {
  const { source, sourceName, since, ended, mute } = change;
  return (
    <Facts
      facts={[
        ['State', renderState(change)],
        [
          'Source',
          <Link key="source" to="/sources/$id" params={{ id: source }}>
            <Sent text={sourceName || source} />
          </Link>,
        ],
        ['Came with', since === '' ? 'no version or host explains it' : <Sent key="since" text={since} />],
        ['First hour', <Hour key="began" hour={firstHour} />],
        ['Found', <Time key="found" at={change.found} />],
        ...(ended === null ? [] : [['Ended', <Time key="ended" at={ended} />] as const]),
        ...(mute
          ? [
              ['Muted until', <Time key="until" at={mute.until} />] as const,
              ['Muted by', <Sent key="actor" text={`${mute.actor}: ${mute.reason}`} />] as const,
            ]
          : []),
      ]}
    />
  );
}

const endOfHour = (hour: string): string => new Date(Date.parse(hour) + hourMs).toISOString();

const Hour = ({ hour }: { hour: string }) => (
  <>
    <Time at={hour} /> – <Time at={endOfHour(hour)} />
  </>
);

/** Hours before the change that the linked list has, to compare. */
const hoursBefore = 2;

interface Hours {
  change: ShownChange;
  firstHour: string;
  /** End of the last hour, milliseconds since 1970. */
  endMs: number;
}

/** Goes to the messages, or to the refusals, of the time of the change. */
function MessagesLink({ change: { kind, source, event }, firstHour, endMs }: Hours) {
  const span: Span = {
    from: new Date(Date.parse(firstHour) - hoursBefore * hourMs).toISOString(),
    to: new Date(endMs).toISOString(),
  };
  return kind === 'refused' ? (
    <Link to="/refused" search={{ ...spanSearch(span), source }}>
      Its refusals
    </Link>
  ) : (
    <Link to="/events" search={{ ...spanSearch(span), source, ...(event !== '' && { event }) }}>
      Its events
    </Link>
  );
}

function HoursCard({ change, hours, unit, firstHour, endMs }: Hours & Pick<ChangeDetail, 'hours' | 'unit'>) {
  const isCount = unit === 'messages';
  const until = endMs / 1000;
  return (
    <Card title={isCount ? 'Messages an hour' : 'Share, by the hour'} note={isCount ? weeksNote : shareNote}>
      <Chart
        label={isCount ? 'Messages an hour' : 'Share in percent'}
        times={hours.map(({ hour }) => Date.parse(hour) / 1000)}
        until={until}
        unit={isCount ? 'an hour' : 'percent'}
        lines={[
          { name: 'Arrived', tone: 'accent', values: hours.map(({ value }) => value) },
          { name: 'Least expected', tone: 'ok', values: hours.map(({ low }) => low), isDashed: true },
          { name: 'Most expected', tone: 'attention', values: hours.map(({ high }) => high), isDashed: true },
        ]}
        marks={[
          {
            label: 'The change',
            from: Date.parse(firstHour) / 1000,
            to: change.ended === null ? until : Date.parse(change.ended) / 1000,
          },
        ]}
      />
    </Card>
  );
}

const weeksNote =
  'By the hour in which they arrived. Expected: the least and the most of the same hour in the four weeks before, of which the middle counts';
const shareNote = 'Expected: what the days and weeks before had';
