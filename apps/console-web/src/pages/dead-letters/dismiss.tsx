import { type Dismissal, type LetterView } from '@sluice/console-api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useEffect, useRef, useState } from 'react';
import { call } from '../../data/call';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { Notice } from '../../ui/empty';
import { Input } from '../../ui/field';
import { exactText } from '../../ui/number';
import { useToast } from '../../ui/toast';

/** Whether a letter still needs someone: it was neither replayed nor dismissed. */
export const isUntreated = ({ replayed, dismissed }: LetterView): boolean => !replayed && !dismissed;

interface Props {
  selection: Omit<Dismissal, 'why'>;
  /** Number of letters that are selected. */
  count: number;
  onClose: () => void;
}

/** Dismisses all letters of a selection: the server takes some at a time, until none is left or the dialog is closed. */
function useDismissal(selection: Props['selection'], onDone: (letters: number) => void) {
  const client = useQueryClient();
  const [progress, setProgress] = useState<{ done: number; remaining: number }>();
  const isClosed = useRef(false);
  useEffect(() => {
    isClosed.current = false;
    return () => {
      isClosed.current = true;
    };
  }, []);
  const dismissal = useMutation({
    mutationFn: async (why: string) => {
      let [done, isMore] = [0, true];
      while (isMore && !isClosed.current) {
        const { letters, remaining } = await call('POST /api/dead-letters/dismiss', { body: { ...selection, why } });
        done += letters;
        isMore = letters > 0 && remaining > 0;
        setProgress({ done, remaining });
      }
      return done;
    },
    onSuccess: onDone,
    onSettled: () => client.invalidateQueries(),
  });
  return { dismissal, progress };
}

/** Asks for the reason why these letters are not replayed, and dismisses them. */
export function DismissDialog({ selection, count, onClose }: Props) {
  const [why, setWhy] = useState('');
  const toast = useToast();
  const { dismissal: dismiss, progress } = useDismissal(selection, (letters) => {
    onClose();
    toast('ok', letters === 1 ? 'Dismissed.' : `${exactText(letters)} dead letters dismissed.`);
  });
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    dismiss.mutate(why.trim());
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={count === 1 ? 'Dismiss this dead letter?' : `Dismiss ${exactText(count)} dead letters?`}
      note="The overview no longer lists them as a problem. They stay here for Kafka’s retention and can still be replayed."
    >
      <form className="stack" onSubmit={submit}>
        <Input
          label="Reason"
          placeholder="test data of the integration"
          required
          maxLength={500}
          value={why}
          onChange={(event) => setWhy(event.target.value)}
        />
        {progress && progress.remaining > 0 && (
          <p role="status">{`${exactText(progress.done)} dismissed, ${exactText(progress.remaining)} to go`}</p>
        )}
        {dismiss.error && (
          <Notice tone="bad" live>
            {dismiss.error.message}
          </Notice>
        )}
        <div className="row">
          <Button type="submit" look="primary" busy={dismiss.isPending} disabled={why.trim() === ''}>
            Dismiss
          </Button>
          <Button onClick={onClose}>{dismiss.isPending ? 'Stop' : 'Cancel'}</Button>
        </div>
      </form>
    </Dialog>
  );
}
