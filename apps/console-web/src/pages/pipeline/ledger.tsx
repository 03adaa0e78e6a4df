import { type Ledger, type LedgerFinding } from '@sluice/console-api';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { serverNow } from '../../data/clock';
import { useRead } from '../../data/use-api';
import { Badge } from '../../ui/badge';
import { Button } from '../../ui/button';
import { Card, Page } from '../../ui/card';
import { CopyButton } from '../../ui/copy';
import { Empty, Notice } from '../../ui/empty';
import { Select } from '../../ui/field';
import { Loaded } from '../../ui/loaded';
import { exactText } from '../../ui/number';
import { Table } from '../../ui/table';
import { durationText, Time, useNow } from '../../ui/zone';
import { RequestLink } from '../requests/refusal';
import './ledger.css';

const route = getRouteApi('/shell/pipeline/ledger');

const hour = 3_600_000;
const lengths = [
  { value: String(hour), label: 'The last hour' },
  { value: String(6 * hour), label: 'The last 6 hours' },
  { value: String(24 * hour), label: 'The last 24 hours' },
];

/** Checks whether anything is lost or doubled, only when asked to. */
export function LedgerPage() {
  const { topic, from, to } = route.useSearch();
  const navigate = useNavigate({ from: '/pipeline/ledger' });
  const topics = useRead('GET /api/pipeline/ledgers');
  const [length, setLength] = useState(String(hour));
  const first = topics.data?.topics[0]?.topic;
  const [chosen, setChosen] = useState(topic);
  const chosenTopic = chosen ?? first;
  const check = (): void => {
    const now = serverNow();
    const range = { from: new Date(now - Number(length)).toISOString(), to: new Date(now).toISOString() };
    if (chosenTopic) void navigate({ search: (search) => ({ ...search, topic: chosenTopic, ...range }) });
  };
  return (
    <Page title="Ledger" question="Is anything lost or doubled?">
      <Card>
        <Loaded of={topics} lines={2}>
          {(data) => (
            <form
              className="ledger-form"
              onSubmit={(event) => {
                event.preventDefault();
                check();
              }}
            >
              <Select
                label="Topic"
                options={data.topics.map((destination) => ({
                  value: destination.topic,
                  label: `${destination.topic} → ${destination.table}`,
                }))}
                value={chosenTopic ?? ''}
                onChange={(event) => setChosen(event.target.value)}
              />
              <Select
                label="Time"
                options={lengths}
                value={length}
                onChange={(event) => setLength(event.target.value)}
              />
              <Button type="submit" look="primary" icon="ledger">
                Check
              </Button>
            </form>
          )}
        </Loaded>
      </Card>
      {topic && from && to ? <Proof key={`${topic} ${from} ${to}`} {...{ topic, from, to }} /> : <NotYet />}
    </Page>
  );
}

const NotYet = () => (
  <Card>
    <Empty kind="none-yet" title="Not checked yet">
      Each message in Kafka has an offset, and each row knows the offset that it came from. So every offset in a time
      range must be a row, a dead letter, a repeat, or still waiting.
    </Empty>
  </Card>
);

function Proof({ topic, from, to }: { topic: string; from: string; to: string }) {
  const ledger = useRead('GET /api/pipeline/ledger', { query: { topic, from, to } });
  if (ledger.isPending && !ledger.data) return <Progress {...{ topic, from, to }} />;
  return (
    <Loaded of={ledger} lines={8}>
      {(data) => <Sums ledger={data} />}
    </Loaded>
  );
}

const stepTexts = ['reading the log', 'counting rows', 'finding offsets without a row', 'explaining them'];

/** Progress of the check, which takes some seconds. Only one check runs at a time. */
function Progress(query: { topic: string; from: string; to: string }) {
  const progress = useRead('GET /api/pipeline/ledger/progress', { query }, { everyMs: 500 });
  const { state = 'none', ahead = 0, step = 0, steps = 1 } = progress.data ?? {};
  const [startedAt] = useState(serverNow);
  const seconds = Math.max(0, (useNow() - startedAt) / 1000);
  const text =
    state === 'running'
      ? `Step ${step} of ${steps}: ${stepTexts[step - 1] ?? ''}`
      : ahead > 0
        ? `Waiting for ${ahead} other ${ahead === 1 ? 'check' : 'checks'}`
        : 'Starting';
  return (
    <Card>
      <div className="stack" role="status">
        <p>{`${text}, ${durationText(Math.max(seconds, 1))}`}</p>
        <progress className="progress" aria-label="Steps of the check" value={Math.max(step - 0.5, 0)} max={steps} />
      </div>
    </Card>
  );
}

const Sums = ({ ledger }: { ledger: Ledger }) => (
  <div className="stack">
    <Card
      title={
        <>
          {ledger.table}, <Time at={ledger.range.from} /> to <Time at={ledger.range.to} />
        </>
      }
      note={`counted in ${durationText(ledger.tookMs / 1000)}`}
      actions={
        <>
          <Badge state={ledger.isWhole ? 'ok' : 'failed'} text={ledger.isWhole ? 'Adds up' : 'Does not add up'} />
          <CopyButton text={ledger.sql} label="Copy SQL" />
        </>
      }
    >
      <div className="stack">
        {ledger.remark && <Notice tone="attention">{ledger.remark}</Notice>}
        <dl className="equation">
          <Term name="messages in Kafka" value={ledger.offsets} />
          <Term sign="=" name="rows" value={ledger.rows} />
          <Term sign="+" name="dead letters" value={ledger.deadLetters} />
          <Term sign="+" name="repeats, stored once" value={ledger.repeats} />
          <Term sign="+" name="waiting" value={ledger.waiting} />
          <Term sign="+" name="missing" value={ledger.missing} isWrong={ledger.missing !== '0'} />
        </dl>
        <p className={ledger.doubled === '0' ? 'soft' : 'ledger-bad'}>
          {ledger.doubled === '0'
            ? 'No message was stored more than once.'
            : `Extra rows: ${exactText(ledger.doubled)}.`}
        </p>
      </div>
    </Card>
    {ledger.findings.length > 0 && (
      <Card title="What does not add up" note="At most 100 are listed" flush>
        <Findings findings={ledger.findings} />
      </Card>
    )}
  </div>
);

interface TermProps {
  sign?: string;
  name: string;
  value: string;
  isWrong?: boolean;
}

const Term = ({ sign, name, value, isWrong = false }: TermProps) => (
  <div className={isWrong ? 'ledger-bad' : ''}>
    <dt>{name}</dt>
    <dd>
      {sign && <span className="soft">{sign} </span>}
      <strong>{exactText(value)}</strong>
    </dd>
  </div>
);

const Findings = ({ findings }: { findings: readonly LedgerFinding[] }) => (
  <Table
    label="Offsets that do not add up"
    rows={findings}
    rowKey={({ kind, partition, offset }) => `${kind} ${partition} ${offset}`}
    columns={[
      { label: 'What', cell: ({ kind }) => <Badge state="failed" text={kind === 'missing' ? 'Missing' : 'Doubled'} /> },
      { label: 'Partition', end: true, cell: ({ partition }) => partition },
      { label: 'Offset', end: true, cell: ({ offset }) => offset },
      { label: 'Rows', end: true, cell: ({ rows }) => rows },
      { label: 'Message', grow: true, cell: ({ messageId }) => <code className="mono">{messageId ?? '–'}</code> },
      { label: 'Request', cell: ({ requestId }) => (requestId ? <RequestLink id={requestId} /> : '–') },
    ]}
  />
);
