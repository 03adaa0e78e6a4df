import { type LetterDetail, type EditCheck, type ReplayResult } from '@sluice/console-api';
import { useState } from 'react';
import { useAction } from '../../data/use-api';
import { Badge } from '../../ui/badge';
import { Button } from '../../ui/button';
import { Card } from '../../ui/card';
import { Notice } from '../../ui/empty';
import { Editor } from '../../ui/lazy-editor';
import { SentList } from '../../ui/sent';

interface Props {
  letter: LetterDetail;
  onClose: () => void;
}

/** Edits the content, checks it and replays it. Only content that was checked can be sent. */
export function EditCard({ letter, onClose }: Props) {
  const path = { id: letter.id };
  const [value, setValue] = useState(letter.value?.json ?? '');
  const [checked, setChecked] = useState<string>();
  const check = useAction('POST /api/dead-letters/:id/check');
  const edit = useAction('POST /api/dead-letters/:id/edit');
  const error = edit.error ?? check.error;
  const submit = (): void => {
    edit.reset();
    check.mutate({ path, body: { value } });
    setChecked(value);
  };
  const isReady = checked === value && check.data?.isReadable === true && !check.data.isStored;
  const isAgain = letter.replayed !== null;
  return (
    <Card title="Edit" note="Checked by the consumer and its table. Ids cannot be changed.">
      <div className="stack">
        <Editor label="Content of the message, JSON" value={value} onChange={setValue} onSubmit={submit} />
        {error && (
          <Notice tone="bad" live>
            {error.message}
          </Notice>
        )}
        {checked === value && check.data && !edit.data && <Checked check={check.data} />}
        {edit.data && <Sent result={edit.data} />}
        <div className="row row-apart">
          <Button onClick={onClose}>{edit.data ? 'Close' : 'Cancel'}</Button>
          {!edit.data && (
            <div className="row">
              <Button icon="try" busy={check.isPending} onClick={submit}>
                Check
              </Button>
              <Button
                look="primary"
                icon="replay"
                busy={edit.isPending}
                disabled={!isReady}
                onClick={() => {
                  edit.mutate({ path, body: { value, ...(isAgain && { isAgain }) } });
                }}
              >
                {isAgain ? 'Replay again' : 'Replay'}
              </Button>
            </div>
          )}
        </div>
      </div>
    </Card>
  );
}

const Checked = ({ check }: { check: EditCheck }) => (
  <div className="stack stack-tight" role="status">
    {check.isStored ? (
      <Notice tone="attention">This message is already stored; it would not be stored again.</Notice>
    ) : (
      <p>
        <Badge
          state={check.isReadable ? 'accepted' : 'refused'}
          text={check.isReadable ? `${check.table} accepts it` : `${check.table} does not accept it`}
        />
      </p>
    )}
    {check.problems.map((problem) => (
      <Notice key={problem} tone="bad">
        {problem}
      </Notice>
    ))}
    <p className="small soft">
      {check.changed.length === 0 ? 'No changes.' : 'Changed: '}
      <SentList texts={check.changed} none={null} />
    </p>
  </div>
);

const Sent = ({ result }: { result: ReplayResult }) => (
  <div className="stack stack-tight" role="status">
    {result.error && <Notice tone="bad">{result.error}</Notice>}
    {result.notReplayed.map(({ id, why }) => (
      <Notice key={id} tone="bad">
        {why}
      </Notice>
    ))}
    {result.replayed.length > 0 && (
      <p>
        <Badge state="done" text="Replayed" /> See below where it is now; its row appears when it is stored.
      </p>
    )}
  </div>
);
