import { type SessionState } from '@sluice/console-api';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { buildAddress } from '../../data/call';
import { useSession, useTakeSession } from '../../data/session';
import { useAction } from '../../data/use-api';
import { Notice } from '../../ui/empty';
import './login.css';
import { PasswordForm } from './password-form';

const route = getRouteApi('/login');

/** Reasons why someone is not signed in. The address names one of them and carries no text of its own. */
const problems: Record<string, string> = {
  ended: 'Your session has ended. Sign in to continue where you left off.',
  expired: 'The sign-in took longer than ten minutes, or began in another browser. Try again.',
  'not-allowed':
    'You are not allowed to sign in: your user is disabled, or none of your groups has a role here. Ask an administrator.',
  failed: 'Signing in at the provider failed. Try again, or ask an administrator to check the console’s log.',
};

/** Signs in with a one-time link, a password or the company's provider. */
export function LoginPage() {
  const { problem, to } = route.useSearch();
  const session = useSession();
  const enter = useEnter();
  const link = useLink(enter);
  const ways = session.data?.signIn;
  return (
    <main className="login">
      <div className="login-box">
        <img src="/icon.svg" alt="" width="40" height="40" />
        <div className="stack stack-tight">
          <h1>Sign in to Sluice</h1>
          <p className="soft">See what arrives, what is refused and why.</p>
        </div>
        {link.isPending && <Notice tone="accent">Signing in with your link…</Notice>}
        {link.error && (
          <Notice tone="bad" live>
            {link.error.message}
          </Notice>
        )}
        {problem && <Notice tone="bad">{problems[problem] ?? problems['failed']}</Notice>}
        {session.error && <Notice tone="bad">{session.error.message}</Notice>}
        {ways?.oidc && (
          <a className="button button-primary" href={buildAddress('/api/session/oidc', {}, { to })}>
            {`Continue with ${ways.oidc}`}
          </a>
        )}
        {ways?.password && <PasswordForm onEnter={enter} />}
        {ways && !ways.oidc && !ways.password && (
          <p className="soft">
            Nobody has a password yet. Open the one-time link that the console printed when it started; a new one is
            printed at each start, and an administrator can make one.
          </p>
        )}
      </div>
    </main>
  );
}

/** Opens the page that was asked for, with the new session in hand. */
function useEnter(): (state: SessionState) => void {
  const { to } = route.useSearch();
  const takeSession = useTakeSession();
  const navigate = useNavigate();
  return (state) => {
    // Only a path of this console; `//host` would be another one.
    const href = to && /^\/(?![/\\])/.test(to) ? to : '/';
    void takeSession(state).then(() => navigate({ href, replace: true }));
  };
}

/** Signs in by the secret behind `#`, which is taken out of the address first. */
function useLink(onEnter: (state: SessionState) => void) {
  const link = useAction('POST /api/session/link', onEnter);
  const [token] = useState(() => location.hash.slice(1));
  const wasSent = useRef(false);
  useEffect(() => {
    if (token === '' || wasSent.current) return;
    wasSent.current = true;
    history.replaceState(history.state, '', location.pathname);
    link.mutate({ body: { token } });
  });
  return link;
}
