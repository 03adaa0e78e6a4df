import { type SessionState } from '@sluice/console-api';
import { useEffect } from 'react';
import { buildAddress } from '../../data/call';
import { useTakeSession } from '../../data/session';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { PasswordForm } from './password-form';

/** Time for which a page stays behind the dialog. */
const keptMs = 15 * 60_000;

interface Props {
  signIn: SessionState['signIn'];
  /** Address of the page, to come back to. */
  here: string;
}

/**
 * Asks for the sign-in in front of the page, which stays as it is, with all that was typed. A sign-in in another tab
 * counts too.
 */
export function SignInAgain({ signIn, here }: Props) {
  const takeSession = useTakeSession();
  const leave = (): void => location.assign(buildAddress('/login', {}, { to: here, problem: 'ended' }));
  useEffect(() => {
    const timer = setTimeout(leave, keptMs);
    return () => clearTimeout(timer);
  });
  return (
    <Dialog
      open
      isCover
      onClose={leave}
      title="Sign in to Sluice"
      note="Your session has ended. What you have typed is still here, for 15 minutes."
      actions={<Button onClick={leave}>Leave this page</Button>}
    >
      <div className="stack">
        {signIn.oidc && (
          <a
            className="button button-primary"
            href={buildAddress('/api/session/oidc', {}, { to: '/' })}
            target="_blank"
            rel="noreferrer"
          >
            {`Continue with ${signIn.oidc} in a new tab, then come back`}
          </a>
        )}
        {signIn.password && <PasswordForm onEnter={(state) => void takeSession(state)} />}
        {!signIn.oidc && !signIn.password && (
          <p className="soft">Open a one-time link in another tab of this browser, then come back.</p>
        )}
      </div>
    </Dialog>
  );
}
