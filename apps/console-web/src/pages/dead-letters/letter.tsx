import { type EventPlace, type LetterDetail } from '@sluice/console-api';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useMay, useUser } from '../../data/session';
import { useRead } from '../../data/use-api';
import { Badge } from '../../ui/badge';
import { Button } from '../../ui/button';
import { Card, Facts, Page } from '../../ui/card';
import { CopyButton } from '../../ui/copy';
import { Empty, Notice } from '../../ui/empty';
import { JsonView } from '../../ui/json-view';
import { Loaded } from '../../ui/loaded';
import { bytesText } from '../../ui/number';
import { Sent } from '../../ui/sent';
import { Table } from '../../ui/table';
import { Time } from '../../ui/zone';
import { EditCard } from './edit';
import { RequestLink } from '../requests/refusal';
import { DismissDialog, isUntreated } from './dismiss';
import { ReplayDialog } from './replay';

const route = getRouteApi('/shell/dead-letters/$id');

/** One dead letter: its reason, where its message is now, replay and edits. */
export function LetterPage() {
  const { id } = route.useParams();
  const letter = useRead('GET /api/dead-letters/:id', { path: { id } }, { everyMs: 3000 });
  const [doing, setDoing] = useState<Doing>();
  const stop = (): void => setDoing(undefined);
  const isAgain = Boolean(letter.data?.replayed);
  return (
    <Page
      title="Dead letter"
      question={<code className="mono">{id}</code>}
      actions={letter.data && <Actions letter={letter.data} doing={doing} onDo={setDoing} />}
    >
      <Loaded of={letter} lines={9}>
        {(data) => <Letter letter={data}>{doing === 'edit' && <EditCard letter={data} onClose={stop} />}</Letter>}
      </Loaded>
      {doing === 'dismiss' && <DismissDialog selection={{ ids: [id] }} count={1} onClose={stop} />}
      {doing === 'replay' && <ReplayDialog selection={{ ids: [id], ...(isAgain && { isAgain }) }} onClose={stop} />}
    </Page>
  );
}

type Doing = 'replay' | 'edit' | 'dismiss';

interface ActionsProps {
  letter: LetterDetail;
  doing: Doing | undefined;
  onDo: (action: Doing) => void;
}

function Actions({ letter, doing, onDo }: ActionsProps) {
  const mayReplay = useMay('editor');
  const mayEdit = useMayEdit(letter);
  return (
    <>
      <CopyButton text={letter.command} label="Copy command" />
      {mayEdit && doing !== 'edit' && <Button onClick={() => onDo('edit')}>Edit and replay</Button>}
      {mayReplay && isUntreated(letter) && <Button onClick={() => onDo('dismiss')}>Dismiss</Button>}
      {mayReplay && (
        <Button look={letter.replayed ? 'plain' : 'primary'} icon="replay" onClick={() => onDo('replay')}>
          {letter.replayed ? 'Replay the original again' : 'Replay'}
        </Button>
      )}
    </>
  );
}

/** An editor who sees the whole content unmasked may change it. */
function useMayEdit(letter: LetterDetail): boolean {
  const user = useUser();
  const mayEdit = useMay('editor');
  return mayEdit && user?.payloads === true && letter.value?.isCut === false && letter.missingBytes === 0;
}

const isStored = ({ now }: LetterDetail): boolean => now.some(({ state }) => state === 'stored');

const Letter = ({ letter, children }: { letter: LetterDetail; children: ReactNode }) => (
  <div className="stack">
    {letter.replayed ? (
      <Notice tone={isStored(letter) ? 'ok' : 'attention'}>
        {letter.replayed.isEdited ? 'Edited and replayed ' : 'Replayed '}
        <Time at={letter.replayed.at} /> by <Sent text={letter.replayed.by} />.{' '}
        {isStored(letter) ? 'Its message is stored.' : 'Its message is not stored yet.'} The letter stays in this list
        for Kafka’s retention. It failed with: <Sent text={letter.reason} />
      </Notice>
    ) : letter.dismissed ? (
      <Notice tone="accent">
        Dismissed <Time at={letter.dismissed.at} /> by <Sent text={letter.dismissed.by} />:{' '}
        <Sent text={letter.dismissed.why} />. It failed with: <Sent text={letter.reason} />
      </Notice>
    ) : (
      <Notice tone="bad">
        <Sent text={letter.reason} />
      </Notice>
    )}
    {children}
    <Card title="Where its message is now" flush>
      <Table
        label="Where its message is now"
        rows={letter.now}
        rowKey={({ topic, partition, offset }) => `${topic} ${partition} ${offset}`}
        columns={placeColumns}
        empty={<Nowhere letter={letter} />}
      />
    </Card>
    <div className="grid-2">
      <Card title="Content">
        {letter.value ? (
          <JsonView payload={letter.value} label="Content of the message" isRow />
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

const Nowhere = ({ letter: { requestId } }: { letter: LetterDetail }) =>
  requestId === null ? (
    <Empty kind="none-in-range" title="The letter has no request id">
      Whether its message arrived another way is unknown.
    </Empty>
  ) : (
    <Empty kind="none-in-range" title="Only here">
      Neither Kafka nor a table has another message of this request.
    </Empty>
  );

const placeColumns = [
  { label: 'State', cell: ({ state }: EventPlace) => <Badge state={state} /> },
  { label: 'Table', grow: true, cell: ({ table }: EventPlace) => table ?? '–' },
  { label: 'Offset', end: true, cell: ({ partition, offset }: EventPlace) => `${partition}: ${offset}` },
  {
    label: 'Written to Kafka',
    end: true,
    cell: ({ kafkaTimestamp }: EventPlace) => <Time at={kafkaTimestamp} millis />,
  },
  { label: 'Stored', end: true, cell: ({ storedAt }: EventPlace) => <Time at={storedAt} millis /> },
];

const LetterFacts = ({ letter }: { letter: LetterDetail }) => (
  <Facts
    facts={[
      ['Topic', <code key="topic">{letter.topic}</code>],
      ['Written to Kafka', <Time key="taken" at={letter.takenAt} millis />],
      ['Failed', <Time key="refused" at={letter.refusedAt} millis />],
      ['Key', <Sent key="key" className="mono" text={letter.key ?? '–'} />],
      [
        'Size',
        letter.missingBytes > 0 ? `damaged: ${bytesText(letter.missingBytes)} missing` : bytesText(letter.bytes),
      ],
      ['Request', letter.requestId ? <RequestLink key="request" id={letter.requestId} /> : '–'],
      ...letter.headers.map(
        ({ name, value }, index) => [name, <Sent key={index} className="mono" text={value} />] as const,
      ),
    ]}
  />
);
