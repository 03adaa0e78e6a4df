import { type LetterDetail, type MendCheck, type ReplayResult } from '@sluice/console-api';
import { useState } from 'react';
import { useDeed } from '../data/use-api';
import { Badge } from '../ui/badge';
import { Button } from '../ui/button';
import { Card } from '../ui/card';
import { Notice } from '../ui/empty';
import { Editor } from '../ui/lazy-editor';
import { SentList } from '../ui/sent';

interface Props {
  letter: LetterDetail;
  onClose: () => void;
}

/** Change the content, check it, send it back. What was not checked as it is cannot be sent. */
export function MendCard({ letter, onClose }: Props) {
  const path = { id: letter.id };
  const [value, setValue] = useState(letter.value?.json ?? '');
  const [checked, setChecked] = useState<string>();
  const check = useDeed('POST /api/dead-letters/:id/check');
  const mend = useDeed('POST /api/dead-letters/:id/mend');
  const error = mend.error ?? check.error;
  const submit = (): void => {
    mend.reset();
    check.mutate({ path, body: { value } });
    setChecked(value);
  };
  const isReady = checked === value && check.data?.isReadable === true && !check.data.isStored;
  const isAgain = letter.replayed !== null;
  return (
    <Card title="Mend" note="The consumer and its table check the content. Ids must stay as they are.">
      <div className="stack">
        <Editor label="Content of the message, JSON" value={value} onChange={setValue} onSubmit={submit} />
        {error && (
          <Notice tone="bad" live>
            {error.message}
          </Notice>
        )}
        {checked === value && check.data && !mend.data && <Checked check={check.data} />}
        {mend.data && <Sent result={mend.data} />}
        <div className="row row-apart">
          <Button onClick={onClose}>{mend.data ? 'Close' : 'Cancel'}</Button>
          {!mend.data && (
            <div className="row">
              <Button icon="try" busy={check.isPending} onClick={submit}>
                Check
              </Button>
              <Button
                look="primary"
                icon="replay"
                busy={mend.isPending}
                disabled={!isReady}
                onClick={() => {
                  mend.mutate({ path, body: { value, ...(isAgain && { isAgain }) } });
                }}
              >
                {isAgain ? 'Send it back again' : 'Send it back'}
              </Button>
            </div>
          )}
        </div>
      </div>
    </Card>
  );
}

const Checked = ({ check }: { check: MendCheck }) => (
  <div className="stack stack-tight" role="status">
    {check.isStored ? (
      <Notice tone="attention">A row of this message is stored already; it would not be stored again.</Notice>
    ) : (
      <p>
        <Badge
          state={check.isReadable ? 'accepted' : 'refused'}
          text={check.isReadable ? `${check.table} takes it` : `${check.table} does not take it`}
        />
      </p>
    )}
    {check.problems.map((problem) => (
      <Notice key={problem} tone="bad">
        {problem}
      </Notice>
    ))}
    <p className="small soft">
      {check.changed.length === 0 ? 'Nothing has changed.' : 'Changed: '}
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
        <Badge state="done" text="Sent back" /> Below is where it is now; a row appears when it is stored.
      </p>
    )}
  </div>
);
