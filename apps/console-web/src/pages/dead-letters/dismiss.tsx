import { type LetterView } from '@sluice/console-api';
import { type SubmitEvent, useState } from 'react';
import { useAction } from '../../data/use-api';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { Notice } from '../../ui/empty';
import { Input } from '../../ui/field';
import { exactText } from '../../ui/number';
import { useToast } from '../../ui/toast';

/** Whether a letter still needs someone: it was neither replayed nor dismissed. */
export const isUntreated = ({ replayed, dismissed }: LetterView): boolean => !replayed && !dismissed;

/** Asks for the reason why these letters are not replayed, and dismisses them. */
export function DismissDialog({ ids, onClose }: { ids: readonly string[]; onClose: () => void }) {
  const [why, setWhy] = useState('');
  const toast = useToast();
  const dismiss = useAction('POST /api/dead-letters/dismiss', (letters) => {
    onClose();
    toast('ok', letters.length === 1 ? 'Dismissed.' : `${exactText(letters.length)} dead letters dismissed.`);
  });
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    dismiss.mutate({ body: { ids: [...ids], why: why.trim() } });
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={ids.length === 1 ? 'Dismiss this dead letter?' : `Dismiss ${exactText(ids.length)} dead letters?`}
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
        {dismiss.error && (
          <Notice tone="bad" live>
            {dismiss.error.message}
          </Notice>
        )}
        <div className="row">
          <Button type="submit" look="primary" busy={dismiss.isPending} disabled={why.trim() === ''}>
            Dismiss
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  );
}
