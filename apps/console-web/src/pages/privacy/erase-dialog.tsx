import { type Person } from '@sluice/console-api';
import { useState } from 'react';
import { useAction } from '../../data/use-api';
import { Confirm } from '../../ui/dialog';
import { Checkbox, Input } from '../../ui/field';
import { useToast } from '../../ui/toast';

interface Props {
  person: Person;
  /** Summary of what is stored of the person, in words. */
  rows: string;
  onClose: () => void;
  onDone: () => void;
}

/** Asks before a person is erased, which cannot be undone. */
export function EraseDialog({ person, rows, onClose, onDone }: Props) {
  const toast = useToast();
  const [by, setBy] = useState('');
  const [keepsSuppressed, setKeeps] = useState(false);
  const erase = useAction('POST /api/privacy/erasures', ({ request }) => {
    toast('ok', `Erasure ${request} is requested.`);
    onClose();
    onDone();
  });
  return (
    <Confirm
      open
      onClose={onClose}
      title="Erase this person?"
      action="Erase"
      typed="erase"
      busy={erase.isPending}
      error={erase.error?.message}
      onConfirm={() => erase.mutate({ body: { ...person, by, keepsSuppressed } })}
    >
      <p>
        {rows}. The next nightly run deletes them, with whatever arrives until then, and checks that nothing is left.
        There is no way back but a backup.
      </p>
      <Input
        label="Ticket"
        placeholder="PRIV-1042"
        maxLength={100}
        hint="Stands in the report, so it must not name the person. Empty: your user."
        value={by}
        onChange={({ target }) => setBy(target.value)}
      />
      <Checkbox
        label="Drop their messages for ever, not only until they are erased"
        checked={keepsSuppressed}
        onChange={({ target }) => setKeeps(target.checked)}
      />
    </Confirm>
  );
}
