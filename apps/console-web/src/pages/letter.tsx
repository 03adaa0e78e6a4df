import { type EventPlace, type LetterDetail } from '@sluice/console-api';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useMay, useSession } from '../data/session';
import { useRead } from '../data/use-api';
import { Badge } from '../ui/badge';
import { Button } from '../ui/button';
import { Card, Facts, Page } from '../ui/card';
import { CopyButton } from '../ui/copy';
import { Empty, Notice } from '../ui/empty';
import { JsonView } from '../ui/json-view';
import { Loaded } from '../ui/loaded';
import { bytesText } from '../ui/number';
import { Table } from '../ui/table';
import { Time } from '../ui/zone';
import { MendCard } from './mend';
import { RequestLink } from './refusal';
import { ReplayDialog } from './replay';

const route = getRouteApi('/shell/dead-letters/$id');

/** Why is it here, and can it go back? */
export function LetterPage() {
  const { id } = route.useParams();
  const letter = useRead('GET /api/dead-letters/:id', { path: { id } }, { every: 3000 });
  const mayEdit = useMay('editor');
  const [isReplaying, setReplaying] = useState(false);
  const [isMending, setMending] = useState(false);
  const mayMend = useMayMend(letter.data);
  const wasReplayed = letter.data ? letter.data.replayed !== null : false;
  return (
    <Page
      title="Dead letter"
      question={<code className="mono">{id}</code>}
      actions={
        letter.data && (
          <>
            <CopyButton text={letter.data.command} label="Copy command" />
            <Link to="/try" search={{ letter: id }} className="button button-plain">
              Try its content
            </Link>
            {mayMend && !isMending && (
              <Button
                onClick={() => {
                  setMending(true);
                }}
              >
                Mend
              </Button>
            )}
            {mayEdit && (
              <Button
                look="primary"
                icon="replay"
                onClick={() => {
                  setReplaying(true);
                }}
              >
                {wasReplayed ? 'Replay again' : 'Replay'}
              </Button>
            )}
          </>
        )
      }
    >
      <Loaded of={letter} lines={9}>
        {(data) => (
          <Letter letter={data}>
            {isMending && (
              <MendCard
                letter={data}
                onClose={() => {
                  setMending(false);
                }}
              />
            )}
          </Letter>
        )}
      </Loaded>
      {isReplaying && (
        <ReplayDialog
          selection={{ ids: [id], ...(wasReplayed && { isAgain: true }) }}
          onClose={() => {
            setReplaying(false);
          }}
        />
      )}
    </Page>
  );
}

/** Whoever sees the whole content may change it. */
function useMayMend(letter: LetterDetail | undefined): boolean {
  const { data } = useSession();
  const mayEdit = useMay('editor');
  return mayEdit && data?.user?.payloads === true && letter?.value?.isCut === false && letter.missingBytes === 0;
}

const Letter = ({ letter, children }: { letter: LetterDetail; children: ReactNode }) => (
  <div className="stack">
    <Notice tone="bad">
      <bdi>{letter.reason}</bdi>
    </Notice>
    {letter.replayed && (
      <Notice tone="attention">
        {letter.replayed.isMended ? 'Mended and sent back ' : 'Sent back '}
        <Time at={letter.replayed.at} /> by <bdi>{letter.replayed.by}</bdi>. It stays in this list for as long as Kafka
        keeps it.
      </Notice>
    )}
    {children}
    <Card title="Where its message is now" flush>
      <Table
        label="Where its message is now"
        rows={letter.now}
        rowKey={({ topic, partition, offset }) => `${topic} ${partition} ${offset}`}
        columns={placeColumns}
        empty={<Empty kind="none-in-range" title="Only here" />}
      />
    </Card>
    <div className="grid-2">
      <Card title="Content">
        {letter.value ? (
          <JsonView payload={letter.value} label="Content of the message" />
        ) : (
          <Empty kind="none-yet" title="The message has no content" />
        )}
      </Card>
      <Card title="Facts">
        <LetterFacts letter={letter} />
      </Card>
    </div>
  </div>
);

const placeColumns = [
  { label: 'State', cell: ({ state }: EventPlace) => <Badge state={state} /> },
  { label: 'Table', grow: true, cell: ({ table }: EventPlace) => table ?? '–' },
  { label: 'Offset', end: true, cell: ({ partition, offset }: EventPlace) => `${partition}: ${offset}` },
  { label: 'Taken by Kafka', end: true, cell: ({ kafkaTimestamp }: EventPlace) => <Time at={kafkaTimestamp} millis /> },
  { label: 'Stored', end: true, cell: ({ storedAt }: EventPlace) => <Time at={storedAt} millis /> },
];

const LetterFacts = ({ letter }: { letter: LetterDetail }) => (
  <Facts
    facts={[
      ['Topic', <code key="topic">{letter.topic}</code>],
      ['Taken by Kafka', <Time key="taken" at={letter.takenAt} millis />],
      ['Refused', <Time key="refused" at={letter.refusedAt} millis />],
      [
        'Key',
        <code key="key" className="mono">
          {letter.key ?? '–'}
        </code>,
      ],
      [
        'Size',
        letter.missingBytes > 0 ? `damaged: ${bytesText(letter.missingBytes)} are missing` : bytesText(letter.bytes),
      ],
      ['Request', letter.requestId ? <RequestLink key="request" id={letter.requestId} /> : '–'],
      ...letter.headers.map(
        ({ name, value }, index) =>
          [
            name,
            <bdi key={index} className="mono">
              {value}
            </bdi>,
          ] as const,
      ),
    ]}
  />
);
