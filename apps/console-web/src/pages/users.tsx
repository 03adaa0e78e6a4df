import { type InvitedUser, type User } from '@sluice/console-api';
import { useState } from 'react';
import { useMay } from '../data/session';
import { useDeed, useRead } from '../data/use-api';
import { Badge, Tag } from '../ui/badge';
import { Button } from '../ui/button';
import { Card } from '../ui/card';
import { CodeBlock } from '../ui/copy';
import { Dialog } from '../ui/dialog';
import { Empty, Notice } from '../ui/empty';
import { Loaded } from '../ui/loaded';
import { Sent } from '../ui/sent';
import { Table } from '../ui/table';
import { useToast } from '../ui/toast';
import { Time } from '../ui/zone';
import { EditUserDialog, InviteDialog } from './user-dialogs';

/** People, their roles and their sessions. */
export function Users() {
  const isAdmin = useMay('admin');
  if (isAdmin) return <UserList />;
  return (
    <Card>
      <Empty kind="forbidden" title="Only administrators see the users" />
    </Card>
  );
}

function UserList() {
  const users = useRead('GET /api/users', {}, { every: 5000 });
  const [isInviting, setInviting] = useState(false);
  const [edited, setEdited] = useState<User | null>(null);
  const [invited, setInvited] = useState<InvitedUser | null>(null);
  return (
    <Card
      title="Users"
      flush
      actions={
        <Button
          icon="plus"
          onClick={() => {
            setInviting(true);
          }}
        >
          Invite
        </Button>
      }
    >
      <Loaded of={users}>{(data) => <UserTable users={data} onEdit={setEdited} />}</Loaded>
      <InviteDialog
        open={isInviting}
        onClose={() => {
          setInviting(false);
        }}
        onInvited={(one) => {
          setInviting(false);
          setInvited(one);
        }}
      />
      {edited && (
        <EditUserDialog
          user={edited}
          onClose={() => {
            setEdited(null);
          }}
        >
          <UserDeeds
            user={edited}
            onLink={(one) => {
              setEdited(null);
              setInvited(one);
            }}
          />
        </EditUserDialog>
      )}
      <LinkDialog
        invited={invited}
        onClose={() => {
          setInvited(null);
        }}
      />
    </Card>
  );
}

const UserTable = ({ users, onEdit }: { users: readonly User[]; onEdit: (user: User) => void }) => (
  <Table
    label="Users"
    rows={users}
    rowKey={({ id }) => id}
    columns={[
      {
        label: 'User',
        grow: true,
        cell: ({ id, name }) => (
          <>
            <Sent text={name} /> <code className="soft">{id}</code>
          </>
        ),
      },
      { label: 'Role', cell: ({ role }) => <Tag text={role} /> },
      { label: 'Payloads', cell: ({ payloads }) => (payloads ? 'unmasked' : 'masked') },
      { label: 'Status', cell: ({ status }) => <Badge state={status} /> },
      { label: 'Signs in by', cell: ({ origin }) => (origin === 'oidc' ? 'provider' : 'password or link') },
      { label: 'Since', end: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
      {
        label: 'Change',
        end: true,
        cell: (user) => (
          <Button
            aria-label={`Change ${user.id}`}
            onClick={() => {
              onEdit(user);
            }}
          >
            Change
          </Button>
        ),
      },
    ]}
  />
);

function UserDeeds({ user, onLink }: { user: User; onLink: (invited: InvitedUser) => void }) {
  const toast = useToast();
  const link = useDeed('POST /api/users/:id/link', onLink);
  const signOut = useDeed('POST /api/users/:id/sign-out', () => {
    toast(
      'ok',
      <>
        All sessions of <Sent text={user.name} /> have ended.
      </>,
    );
  });
  const onError = (error: Error): void => {
    toast('bad', error.message);
  };
  const input = { path: { id: user.id }, body: {} };
  return (
    <div className="row">
      <Button
        icon="out"
        busy={signOut.isPending}
        onClick={() => {
          signOut.mutate(input, { onError });
        }}
      >
        End all sessions
      </Button>
      {user.origin === 'local' && (
        <Button
          icon="key"
          busy={link.isPending}
          onClick={() => {
            link.mutate(input, { onError });
          }}
        >
          New sign-in link
        </Button>
      )}
    </div>
  );
}

const LinkDialog = ({ invited, onClose }: { invited: InvitedUser | null; onClose: () => void }) => (
  <Dialog
    open={invited !== null}
    onClose={onClose}
    isSticky
    title={
      <>
        Sign-in link of <Sent text={invited?.user.name ?? ''} />
      </>
    }
    actions={
      <Button look="primary" onClick={onClose}>
        I have kept it
      </Button>
    }
  >
    {invited && (
      <div className="stack">
        <Notice tone="attention">It is shown once, holds for 15 minutes and works once.</Notice>
        <CodeBlock label="Sign-in link" text={invited.link} copy="Copy link" />
      </div>
    )}
  </Dialog>
);
