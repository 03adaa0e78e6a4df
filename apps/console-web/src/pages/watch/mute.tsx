import { type ShownChange } from '@sluice/console-api';
import { type SubmitEvent, useState } from 'react';
import { useMay } from '../../data/session';
import { useAction } from '../../data/use-api';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { Notice } from '../../ui/empty';
import { Input } from '../../ui/field';
import { Sent } from '../../ui/sent';
import { useToast } from '../../ui/toast';

const usualDays = 30;
/** Time that the action needs until it is read. */
const soon = 'Alarms follow within a minute.';

/** Mutes the event of a change, or ends its mute. */
export function MuteButton({ change }: { change: ShownChange }) {
  const [isOpen, setIsOpen] = useState(false);
  const mayMute = useMay('editor');
  const toast = useToast();
  const unmute = useAction('DELETE /api/watch/:id/mute', () => toast('ok', `It is watched again. ${soon}`));
  if (!mayMute) return null;
  if (change.mute)
    return (
      <>
        <Button busy={unmute.isPending} onClick={() => unmute.mutate({ path: { id: change.id } })}>
          Watch again
        </Button>
        {unmute.error && (
          <Notice tone="bad" live>
            {unmute.error.message}
          </Notice>
        )}
      </>
    );
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>Mute…</Button>
      {isOpen && <MuteDialog change={change} onClose={() => setIsOpen(false)} />}
    </>
  );
}

function MuteDialog({ change, onClose }: { change: ShownChange; onClose: () => void }) {
  const [days, setDays] = useState(usualDays);
  const [reason, setReason] = useState('');
  const toast = useToast();
  const mute = useAction('PUT /api/watch/:id/mute', () => {
    onClose();
    toast('ok', `Muted. ${soon}`);
  });
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    mute.mutate({ path: { id: change.id }, body: { days, reason: reason.trim() } });
  };
  return (
    <Dialog open onClose={onClose} title="Mute this change?" note={<MuteNote change={change} />}>
      <form className="stack" onSubmit={submit}>
        <Input
          label="Days"
          type="number"
          min={1}
          max={366}
          required
          value={days}
          onChange={(event) => setDays(Number(event.target.value))}
        />
        <Input
          label="Reason"
          placeholder="the old shop ends"
          required
          maxLength={500}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
        {mute.error && (
          <Notice tone="bad" live>
            {mute.error.message}
          </Notice>
        )}
        <div className="row">
          <Button type="submit" look="primary" busy={mute.isPending} disabled={reason.trim() === ''}>
            Mute
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  );
}

const MuteNote = ({ change: { event, source, sourceName } }: { change: ShownChange }) =>
  event === '' ? (
    <>
      Refusals and clocks of the source <Sent text={sourceName || source} /> raise no alarm for this time. The reason is
      in the audit.
    </>
  ) : (
    <>
      All changes of the event <Sent text={event} /> in this source raise no alarm for this time. The reason is in the
      audit.
    </>
  );
