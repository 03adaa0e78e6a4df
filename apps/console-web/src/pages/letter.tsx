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
import { Sent } from '../ui/sent';
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
  const [doing, setDoing] = useState<'replay' | 'mend'>();
  const stop = (): void => {
    setDoing(undefined);
  };
  const isAgain = Boolean(letter.data?.replayed);
  return (
    <Page
      title="Dead letter"
      question={<code className="mono">{id}</code>}
      actions={letter.data && <Actions letter={letter.data} doing={doing} onDo={setDoing} />}
    >
      <Loaded of={letter} lines={9}>
        {(data) => <Letter letter={data}>{doing === 'mend' && <MendCard letter={data} onClose={stop} />}</Letter>}
      </Loaded>
      {doing === 'replay' && <ReplayDialog selection={{ ids: [id], ...(isAgain && { isAgain }) }} onClose={stop} />}
    </Page>
  );
}

interface ActionsProps {
  letter: LetterDetail;
  doing: 'replay' | 'mend' | undefined;
  onDo: (deed: 'replay' | 'mend') => void;
}

function Actions({ letter, doing, onDo }: ActionsProps) {
  const mayEdit = useMay('editor');
  const mayMend = useMayMend(letter);
  return (
    <>
      <CopyButton text={letter.command} label="Copy command" />
      <Link to="/try" search={{ letter: letter.id }} className="button button-plain">
        Try its content
      </Link>
      {mayMend && doing !== 'mend' && (
        <Button
          onClick={() => {
            onDo('mend');
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
            onDo('replay');
          }}
        >
          {letter.replayed ? 'Replay again' : 'Replay'}
        </Button>
      )}
    </>
  );
}

/** Whoever sees the whole content may change it. */
function useMayMend(letter: LetterDetail): boolean {
  const { data } = useSession();
  const mayEdit = useMay('editor');
  return mayEdit && data?.user?.payloads === true && letter.value?.isCut === false && letter.missingBytes === 0;
}

const Letter = ({ letter, children }: { letter: LetterDetail; children: ReactNode }) => (
  <div className="stack">
    <Notice tone="bad">
      <Sent text={letter.reason} />
    </Notice>
    {letter.replayed && (
      <Notice tone="attention">
        {letter.replayed.isMended ? 'Mended and sent back ' : 'Sent back '}
        <Time at={letter.replayed.at} /> by <Sent text={letter.replayed.by} />. It stays in this list for as long as
        Kafka keeps it.
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
      ['Key', <Sent key="key" className="mono" text={letter.key ?? '–'} />],
      [
        'Size',
        letter.missingBytes > 0 ? `damaged: ${bytesText(letter.missingBytes)} are missing` : bytesText(letter.bytes),
      ],
      ['Request', letter.requestId ? <RequestLink key="request" id={letter.requestId} /> : '–'],
      ...letter.headers.map(
        ({ name, value }, index) => [name, <Sent key={index} className="mono" text={value} />] as const,
      ),
    ]}
  />
);
