import { type InvitedUser, type User, type UserList as ListOfUsers } from '@sluice/console-api';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../data/session';
import { useAction, useRead } from '../../data/use-api';
import { Badge, Tag } from '../../ui/badge';
import { Button } from '../../ui/button';
import { Card } from '../../ui/card';
import { Empty } from '../../ui/empty';
import { Loaded } from '../../ui/loaded';
import { pageNote, Pages } from '../../ui/pages';
import { Sent } from '../../ui/sent';
import { useShownOnce } from '../../ui/shown-once';
import { Table } from '../../ui/table';
import { useToast } from '../../ui/toast';
import { Time } from '../../ui/zone';
import { isRole, isUserStatus, UserFilters } from './user-filters';
import { EditUserDialog, InviteDialog } from './user-dialogs';

const route = getRouteApi('/shell/settings');
/** Number of users of a page. */
const pageUsers = 40;

/** People, their roles and their sessions. */
export function Users() {
  const isAdmin = useMay('admin');
  if (isAdmin) return <UserList />;
  return (
    <Card>
      <Empty kind="forbidden" title="Only administrators can see users" />
    </Card>
  );
}

function UserList() {
  const { text, role, status, page = 1 } = route.useSearch();
  const skip = (page - 1) * pageUsers;
  const filter = { ...(text && { text }), ...(isRole(role) && { role }), ...(isUserStatus(status) && { status }) };
  const users = useRead('GET /api/users', { query: { ...filter, skip, limit: pageUsers } }, { everyMs: 5000 });
  const [isInviting, setInviting] = useState(false);
  const [edited, setEdited] = useState<User | null>(null);
  const showLink = useShowLink();
  return (
    <div className="stack">
      <UserFilters />
      <Card
        title="Users"
        note={users.data && pageNote(users.data.users.length, skip, users.data)}
        flush
        actions={
          <Button icon="plus" onClick={() => setInviting(true)}>
            Invite
          </Button>
        }
      >
        <Loaded of={users}>{(data) => <UserTable list={data} onEdit={setEdited} />}</Loaded>
        <InviteDialog
          open={isInviting}
          onClose={() => setInviting(false)}
          onInvited={(invited) => {
            setInviting(false);
            showLink(invited);
          }}
        />
        {edited && (
          <EditUserDialog user={edited} onClose={() => setEdited(null)}>
            <UserActions
              user={edited}
              onLink={(invited) => {
                setEdited(null);
                showLink(invited);
              }}
            />
          </EditUserDialog>
        )}
      </Card>
      {users.data && <UserPages page={page} matchCount={users.data.found} />}
    </div>
  );
}

function UserPages({ page, matchCount }: { page: number; matchCount: number }) {
  const navigate = useNavigate({ from: '/settings' });
  return (
    <Pages
      label="Pages of users"
      {...{ page, matchCount }}
      size={pageUsers}
      onPage={(to) => {
        void navigate({ search: (now) => ({ ...now, page: to === 1 ? undefined : to }) });
      }}
    />
  );
}

/** Shows a sign-in link, which exists nowhere else. */
function useShowLink(): (invited: InvitedUser) => void {
  const show = useShownOnce();
  return ({ user, link }) => {
    show({
      title: (
        <>
          Sign-in link for <Sent text={user.name} />
        </>
      ),
      label: 'Sign-in link',
      text: link,
      copy: 'Copy link',
      note: 'This link is shown only once. It works once, within 15 minutes.',
    });
  };
}

const UserTable = ({ list: { users }, onEdit }: { list: ListOfUsers; onEdit: (user: User) => void }) => (
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
            <Sent text={name} /> {name !== id && <code className="soft">{id}</code>}
          </>
        ),
      },
      { label: 'Role', cell: ({ role }) => <Tag text={role} /> },
      { label: 'Payloads', cell: ({ payloads }) => (payloads ? 'unmasked' : 'masked') },
      { label: 'People', cell: ({ privacy }) => (privacy ? 'erases, exports' : '–') },
      { label: 'Status', cell: ({ status }) => <Badge state={status} /> },
      { label: 'Sign-in', cell: ({ origin }) => (origin === 'oidc' ? 'provider' : 'password or link') },
      { label: 'Since', end: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
      {
        label: 'Edit',
        isButton: true,
        end: true,
        cell: (user) => (
          <Button aria-label={`Edit ${user.id}`} onClick={() => onEdit(user)}>
            Edit
          </Button>
        ),
      },
    ]}
    empty={
      <Empty kind="filtered" title="No user matches">
        Nobody has this name or id, role and status.
      </Empty>
    }
  />
);

function UserActions({ user, onLink }: { user: User; onLink: (invited: InvitedUser) => void }) {
  const toast = useToast();
  const link = useAction('POST /api/users/:id/link', onLink);
  const signOut = useAction('POST /api/users/:id/sign-out', () =>
    toast(
      'ok',
      <>
        All sessions of <Sent text={user.name} /> were ended.
      </>,
    ),
  );
  const onError = (error: Error): void => toast('bad', error.message);
  const input = { path: { id: user.id } };
  return (
    <div className="row">
      <Button icon="out" busy={signOut.isPending} onClick={() => signOut.mutate(input, { onError })}>
        End all sessions
      </Button>
      {user.origin === 'local' && (
        <Button icon="key" busy={link.isPending} onClick={() => link.mutate(input, { onError })}>
          New sign-in link
        </Button>
      )}
    </div>
  );
}
