import { type EventPlace, type Journey } from '@sluice/console-api';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useRead } from '../../data/use-api';
import { Badge } from '../../ui/badge';
import { Button } from '../../ui/button';
import { Card, Facts, Page } from '../../ui/card';
import { CopyButton } from '../../ui/copy';
import { Empty, Notice } from '../../ui/empty';
import { JsonView } from '../../ui/json-view';
import { Loaded } from '../../ui/loaded';
import { exactText } from '../../ui/number';
import { Sent } from '../../ui/sent';
import { durationText, Time } from '../../ui/zone';
import { ruleSentence, violationsIn } from '../plans/violation-words';
import { RefusalFacts, titleOfKind } from './refusal';
import './request.css';

const route = getRouteApi('/shell/requests/$id');

/** The journey of each message of a request, or its refusal. */
export function RequestPage() {
  const { id } = route.useParams();
  const { window } = route.useSearch();
  const query = { path: { id }, query: { ...(window && { window }) } };
  const first = useRead('GET /api/requests/:id', query);
  const isOpen = first.data?.events.some(({ state }) => state === 'waiting') ?? false;
  const whole = useRead('GET /api/requests/:id', query, { everyMs: isOpen ? 1500 : 0 });
  // The tables answer before Kafka does: what is stored is shown first.
  const stored = useRead('GET /api/requests/:id', { path: { id }, query: { search: 'tables' } });
  const isStored = (stored.data?.events.length ?? 0) > 0 || Boolean(stored.data?.refused);
  const isEarly = whole.isPending && isStored;
  const journey = isEarly ? stored : whole;
  return (
    <Page
      title="Request"
      question={<code className="mono">{id}</code>}
      actions={
        journey.data && (
          <>
            <CopyButton text={journey.data.sql} label="Copy SQL" />
            <CopyButton text={journey.data.command} label="Copy command" />
          </>
        )
      }
    >
      <Loaded of={journey} lines={9}>
        {(data) => <Story journey={data} isWide={window !== undefined} isEarly={isEarly} />}
      </Loaded>
    </Page>
  );
}

/** Max number of rows of a batch that are open at first: a hundred wide ones would be fifty thousand elements. */
const maxOpen = 10;

interface StoryProps {
  journey: Journey;
  isWide: boolean;
  /** Whether Kafka was not asked yet. */
  isEarly: boolean;
}

function Story({ journey, isWide, isEarly }: StoryProps) {
  const { events, rows, refused, problems } = journey;
  return (
    <div className="stack">
      {problems.map((problem) => (
        <Notice key={problem} tone="bad">
          {problem}
        </Notice>
      ))}
      {refused && (
        <Card
          title={titleOfKind(refused.kind)}
          actions={
            <Link to="/try" search={{ refused: refused.requestId }}>
              Try it
            </Link>
          }
        >
          <RefusalFacts refusal={refused} />
        </Card>
      )}
      {events.map((event, index) => (
        <Message
          key={`${event.topic}:${event.partition}:${event.offset}`}
          {...{ event, journey, index }}
          row={rows[index] ?? null}
        />
      ))}
      {events.length === 0 && !refused && <NothingFound journey={journey} isWide={isWide} />}
      {isEarly && (
        <p className="small soft" role="status">
          Still searching Kafka for waiting messages.
        </p>
      )}
      {journey.searched.kafka && (
        <p className="small soft">
          {`Searched ${exactText(journey.searched.kafka.messagesRead)} messages in Kafka and ${journey.searched.tables.length} tables.`}
        </p>
      )}
    </div>
  );
}

interface MessageProps {
  event: EventPlace;
  journey: Journey;
  index: number;
  row: Journey['rows'][number];
}

const since = (from: string, to: string): string => {
  const ms = Date.parse(to) - Date.parse(from);
  return ms < 0 ? 'clocks differ' : `+${durationText(ms / 1000)}`;
};

const Message = ({ event, journey, index, row }: MessageProps) => (
  <Card
    title={`Message ${index + 1}${event.table ? ` of ${event.table}` : ''}`}
    actions={<Badge state={event.state} />}
  >
    <div className="grid-2">
      <ol className="steps" aria-label="Journey of the message">
        <Step name="Gateway" at={journey.receivedAt} note="received" />
        <Step
          name="Kafka"
          at={event.kafkaTimestamp}
          note={`${since(journey.receivedAt, event.kafkaTimestamp)} · ${event.topic}, partition ${event.partition}, offset ${event.offset}`}
        />
        <LastStep event={event} journey={journey} />
      </ol>
      {row ? (
        <div className="stack">
          <PlanViolations json={row.json} />
          <JsonView payload={row} label="Stored row" isClosed={index >= maxOpen} isRow />
        </div>
      ) : (
        <NoRow event={event} />
      )}
    </div>
  </Card>
);

/** Lists the parts of a message that do not fit its plan: mode drop left them out, mode observe stored them as sent. */
function PlanViolations({ json }: { json: string }) {
  const violations = violationsIn(json);
  if (violations.length === 0) return null;
  return (
    <section aria-label="Violations of the plan">
      <p className="soft">It does not fit the plan:</p>
      <ul className="problems">
        {violations.map(({ rule, path }) => (
          <li key={`${rule} ${path}`}>
            {path !== '' && (
              <code className="mono">
                <Sent text={path} />
              </code>
            )}
            <Sent text={ruleSentence(rule) ?? (rule === 'more' ? 'There are more violations.' : rule)} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function LastStep({ event, journey }: { event: EventPlace; journey: Journey }) {
  if (event.state === 'stored')
    return (
      <Step
        name="ClickHouse"
        at={event.storedAt ?? null}
        note={`${since(journey.receivedAt, event.storedAt ?? journey.receivedAt)} · ${event.table ?? ''}`}
      />
    );
  if (event.state === 'dead-lettered') return <Step name="Dead letter" at={null} note={event.reason ?? ''} isBad />;
  const notes = {
    waiting: 'waiting for its consumer',
    merged: 'an equal or newer message of the same entity replaced its row',
    unknown: 'ClickHouse did not respond',
  };
  return <Step name="ClickHouse" at={null} note={notes[event.state]} isPending />;
}

interface StepProps {
  name: string;
  at: string | null;
  note: string;
  isBad?: boolean;
  isPending?: boolean;
}

const Step = ({ name, at, note, isBad = false, isPending = false }: StepProps) => (
  <li className={`step ${isBad ? 'step-bad' : ''} ${isPending ? 'step-pending' : ''}`}>
    <div className="row row-apart">
      <strong>{name}</strong>
      {at && <Time at={at} millis />}
    </div>
    <p className="small soft">{note}</p>
  </li>
);

const NoRow = ({ event }: { event: EventPlace }) => (
  <div className="stack">
    <Facts
      facts={[
        ['Message id', <code key="id">{event.messageId ?? '–'}</code>],
        ['Table', event.table ?? '–'],
      ]}
    />
    {event.letter && (
      <Link to="/dead-letters/$id" params={{ id: event.letter }}>
        Open the dead letter
      </Link>
    )}
  </div>
);

function NothingFound({ journey, isWide }: { journey: Journey; isWide: boolean }) {
  const navigate = useNavigate({ from: '/requests/$id' });
  const widen = (
    <Button
      onClick={() => {
        void navigate({ search: (now) => ({ ...now, window: '1d' }) });
      }}
    >
      Search a whole day
    </Button>
  );
  return (
    <Card>
      <Empty
        kind={isWide ? 'none-yet' : 'none-in-range'}
        title="No trace of this request"
        action={isWide ? undefined : widen}
      >
        {`Searched around ${journey.receivedAt}, the time in its id. It may have been refused without a sample, be older than Kafka's retention, or wait on a gateway's disk.`}
      </Empty>
    </Card>
  );
}
