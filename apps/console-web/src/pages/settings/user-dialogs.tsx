import { type InvitedUser, type NewUser, type Role, type User } from '@sluice/console-api';
import { type ReactNode, useState } from 'react';
import { useAction } from '../../data/use-api';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { Checkbox, Input, Select } from '../../ui/field';
import { Sent } from '../../ui/sent';

const roles: readonly { value: Role; label: string }[] = [
  { value: 'viewer', label: 'Viewer: sees numbers and masked payloads' },
  { value: 'editor', label: 'Editor: manages sources and keys, replays dead letters' },
  { value: 'admin', label: 'Admin: manages users and masks, sees the audit log' },
];

interface InviteProps {
  open: boolean;
  onClose: () => void;
  onInvited: (invited: InvitedUser) => void;
}

export function InviteDialog({ open, onClose, onInvited }: InviteProps) {
  const [user, setUser] = useState<Required<NewUser>>({
    id: '',
    name: '',
    role: 'viewer',
    payloads: false,
    privacy: false,
  });
  const invite = useAction('POST /api/users', onInvited);
  const set = (change: Partial<NewUser>): void => setUser({ ...user, ...change });
  return (
    <Dialog
      {...{ open, onClose }}
      title="Invite a user"
      note="You get a link that signs them in once."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="primary"
            busy={invite.isPending}
            disabled={user.id === ''}
            onClick={() => {
              invite.mutate({ body: { ...user, name: user.name || user.id } });
            }}
          >
            Invite
          </Button>
        </>
      }
    >
      <div className="stack">
        <Input
          label="User"
          placeholder="ada@shop.example"
          value={user.id}
          error={invite.error?.message}
          onChange={(event) => set({ id: event.target.value })}
        />
        <Input
          label="Name"
          placeholder="Ada"
          value={user.name}
          onChange={(event) => set({ name: event.target.value })}
        />
        <RightsFields rights={user} onChange={set} />
      </div>
    </Dialog>
  );
}

interface Rights {
  role: Role;
  payloads: boolean;
  privacy: boolean;
}

interface RightsProps {
  rights: Rights;
  onChange: (change: Partial<Rights>) => void;
}

const RightsFields = ({ rights: { role, payloads, privacy }, onChange }: RightsProps) => (
  <>
    <Select
      label="Role"
      options={roles}
      value={role}
      onChange={(event) => onChange({ role: event.target.value as Role })}
    />
    <Checkbox
      label="Sees unmasked payloads"
      checked={payloads}
      onChange={(event) => onChange({ payloads: event.target.checked })}
    />
    <Checkbox
      label="Answers people: suppresses, erases and exports them"
      checked={privacy}
      onChange={(event) => onChange({ privacy: event.target.checked })}
    />
  </>
);

export function EditUserDialog({ user, onClose, children }: { user: User; onClose: () => void; children: ReactNode }) {
  const [rights, setRights] = useState<Rights & { disabled: boolean }>({
    role: user.role,
    payloads: user.payloads,
    privacy: user.privacy,
    disabled: user.status === 'disabled',
  });
  const save = useAction('PATCH /api/users/:id', onClose);
  const set = (change: Partial<typeof rights>): void => setRights({ ...rights, ...change });
  return (
    <Dialog
      open
      onClose={onClose}
      title={<Sent text={user.name} />}
      note={user.id}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="primary"
            busy={save.isPending}
            onClick={() => {
              save.mutate({ path: { id: user.id }, body: rights });
            }}
          >
            Save
          </Button>
        </>
      }
    >
      <div className="stack">
        <RightsFields rights={rights} onChange={set} />
        <Checkbox
          label="Disabled: cannot sign in"
          checked={rights.disabled}
          onChange={(event) => set({ disabled: event.target.checked })}
        />
        {children}
        {save.error && (
          <p role="alert" className="field-error">
            {save.error.message}
          </p>
        )}
      </div>
    </Dialog>
  );
}
