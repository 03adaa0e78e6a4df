import { type DryRun, type LetterSelection, type ReplayResult } from '@sluice/console-api';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useAction } from '../../data/use-api';
import { Badge } from '../../ui/badge';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { Notice } from '../../ui/empty';
import { exactText } from '../../ui/number';
import { Skeleton } from '../../ui/skeleton';

const outcomeTexts: Record<DryRun['outcomes'][number]['outcome'], string> = {
  replayed: 'would be replayed',
  'already-stored': 'are stored by now and would not be stored again',
  'replayed-before': 'were replayed before and are left out',
  damaged: 'are damaged and cannot be replayed',
};

interface Props {
  selection: LetterSelection;
  onClose: () => void;
}

/** Shows what a replay would do, replays, then shows the result. */
export function ReplayDialog({ selection, onClose }: Props) {
  const dryRun = useAction('POST /api/dead-letters/dry-run');
  const replay = useAction('POST /api/dead-letters/replay');
  const { mutate } = dryRun;
  const selectionText = JSON.stringify(selection);
  useEffect(() => mutate({ body: JSON.parse(selectionText) as LetterSelection }), [mutate, selectionText]);
  const count = dryRun.data?.outcomes.find(({ outcome }) => outcome === 'replayed')?.letters ?? 0;
  const error = dryRun.error ?? replay.error;
  return (
    <Dialog
      open
      onClose={onClose}
      title={replay.data ? 'Replayed' : 'Replay dead letters'}
      note="Messages are written unchanged to the partition that they came from; a message that is stored already is not stored twice."
      actions={
        replay.data ? (
          <Button look="primary" onClick={onClose}>
            Close
          </Button>
        ) : (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button
              look="primary"
              icon="replay"
              busy={replay.isPending}
              disabled={count === 0}
              onClick={() => replay.mutate({ body: selection })}
            >
              {`Replay ${exactText(count)}`}
            </Button>
          </>
        )
      }
    >
      <div className="stack">
        {error && (
          <Notice tone="bad" live>
            {error.message}
          </Notice>
        )}
        {replay.data ? <Result result={replay.data} /> : <Preview run={dryRun.data} isPending={dryRun.isPending} />}
      </div>
    </Dialog>
  );
}

function Preview({ run, isPending }: { run: DryRun | undefined; isPending: boolean }) {
  if (!run) return isPending ? <Skeleton lines={3} /> : null;
  return (
    <ul className="stack stack-tight" aria-label="What a replay would do">
      {run.outcomes.map(({ outcome, letters }) => (
        <li key={outcome}>
          <strong>{exactText(letters)}</strong> {outcomeTexts[outcome]}
        </li>
      ))}
      {run.letters.length === 0 && <li>No dead letters found.</li>}
    </ul>
  );
}

const Result = ({ result }: { result: ReplayResult }) => (
  <div className="stack" role="status">
    {result.error && <Notice tone="bad">{result.error}</Notice>}
    <p>
      <Badge state="done" text={`${exactText(result.replayed.length)} replayed`} />
    </p>
    {result.notReplayed.map(({ id, why }) => (
      <Notice key={id} tone="attention">{`${id}: ${why}`}</Notice>
    ))}
    {result.replayed.slice(0, 5).map(({ id, reason }) => (
      <Link key={id} to="/dead-letters/$id" params={{ id }}>
        {`See where it is now: ${reason}`}
      </Link>
    ))}
  </div>
);
