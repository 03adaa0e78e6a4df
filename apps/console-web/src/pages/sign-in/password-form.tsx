import { type SessionState } from '@sluice/console-api';
import { type SubmitEvent, useState } from 'react';
import { useAction } from '../../data/use-api';
import { Button } from '../../ui/button';
import { Input } from '../../ui/field';

/** Signs in with a name and a password. */
export function PasswordForm({ onEnter }: { onEnter: (state: SessionState) => void }) {
  const [user, setUser] = useState('');
  const [password, setPassword] = useState('');
  const signIn = useAction('POST /api/session', onEnter);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    signIn.mutate({ body: { user, password } });
  };
  return (
    <form className="stack" onSubmit={submit}>
      <Input
        label="User"
        autoComplete="username"
        required
        value={user}
        onChange={(event) => setUser(event.target.value)}
      />
      <Input
        label="Password"
        type="password"
        autoComplete="current-password"
        required
        value={password}
        error={signIn.error?.message}
        onChange={(event) => setPassword(event.target.value)}
      />
      <Button type="submit" look="primary" busy={signIn.isPending}>
        Sign in
      </Button>
    </form>
  );
}
