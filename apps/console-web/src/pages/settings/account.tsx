import { type SignedInUser } from '@sluice/console-api';
import { type SubmitEvent, useState } from 'react';
import { useAction } from '../../data/use-api';
import { Tag } from '../../ui/badge';
import { Button } from '../../ui/button';
import { Card, Facts } from '../../ui/card';
import { Notice } from '../../ui/empty';
import { Input } from '../../ui/field';
import { Sent } from '../../ui/sent';
import { useToast } from '../../ui/toast';
import { Time } from '../../ui/zone';

export const Account = ({ user, version }: { user: SignedInUser; version: string }) => (
  <div className="grid-2">
    <Card title="You">
      <Facts
        facts={[
          ['Name', <Sent key="name" text={user.name} />],
          ['User', <code key="id">{user.id}</code>],
          ['Role', <Tag key="role" text={user.role} />],
          ['Payloads', user.payloads ? 'unmasked' : 'masked'],
          ['People', user.privacy ? 'may suppress, erase and export them' : 'no right to erase or export them'],
          ['Session ends', <Time key="ends" at={user.endsAt} />],
          ['Sluice', version],
        ]}
      />
    </Card>
    <Card title={user.hasPassword ? 'Change your password' : 'Set a password'}>
      <PasswordForm user={user} />
    </Card>
  </div>
);

function PasswordForm({ user }: { user: SignedInUser }) {
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const toast = useToast();
  const save = useAction('PUT /api/session/password', () => {
    setCurrent('');
    setPassword('');
    toast('ok', 'Password saved.');
  });
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    save.mutate({ body: { password, ...(user.hasPassword && { current }) } });
  };
  return (
    <form className="stack form" onSubmit={submit}>
      {!user.hasPassword && (
        <Notice tone="accent">
          You signed in with a one-time link. Set a password to sign in without one next time.
        </Notice>
      )}
      <input type="text" hidden readOnly autoComplete="username" value={user.id} />
      {user.hasPassword && (
        <Input
          label="Current password"
          type="password"
          autoComplete="current-password"
          required
          value={current}
          onChange={(event) => setCurrent(event.target.value)}
        />
      )}
      <Input
        label="New password"
        type="password"
        autoComplete="new-password"
        required
        minLength={12}
        hint="At least 12 characters"
        value={password}
        error={save.error?.message}
        onChange={(event) => setPassword(event.target.value)}
      />
      <div className="row">
        <Button type="submit" look="primary" busy={save.isPending}>
          Save
        </Button>
      </div>
    </form>
  );
}
