import { Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useSession, useUser } from '../data/session';
import { SignInAgain } from '../pages/sign-in/sign-in-again';
import { Dialog } from '../ui/dialog';
import { Empty } from '../ui/empty';
import { AppBar } from './app-bar';
import { Keyboard } from './keyboard';
import { Navigation } from './navigation';
import { ServersDown } from './unreachable-servers';
import './shell.css';

/** The frame around every page for someone who is signed in. */
export function Shell() {
  const session = useSession();
  const { pathname, href } = useRouterState({ select: ({ location }) => location });
  const [isMenuOpen, setMenuOpen] = useState(false);
  useFocusOnNewPage(pathname);
  useEffect(() => setMenuOpen(false), [pathname]);
  const user = useUser();
  useReloadForAnotherUser(session.data?.user?.id);
  if (session.data && !user) return <ToSignIn here={href} />;
  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <aside className="shell-side">
        <Navigation />
      </aside>
      <AppBar user={user} onMenu={() => setMenuOpen(true)} />
      <main id="main" className="shell-main" tabIndex={-1}>
        <ServersDown />
        {session.data ? <Outlet /> : <Awaiting error={session.error} />}
      </main>
      <Dialog open={isMenuOpen} onClose={() => setMenuOpen(false)} title="Sluice" side="start">
        <Navigation />
      </Dialog>
      <Keyboard />
      {session.data?.user === null && <SignInAgain signIn={session.data.signIn} here={href} />}
    </div>
  );
}

/** Goes to the sign-in page once, with the first address, because `here` changes on the way. */
function ToSignIn({ here }: { here: string }) {
  const [to] = useState(here);
  const navigate = useNavigate();
  useEffect(() => {
    void navigate({ to: '/login', search: { to }, replace: true });
  }, [navigate, to]);
  return null;
}

/** Data of a page belong to one user: they are loaded again when someone else has signed in. */
function useReloadForAnotherUser(id: string | undefined): void {
  const first = useRef(id);
  useEffect(() => {
    if (id === undefined) return;
    first.current ??= id;
    if (first.current !== id) location.reload();
  }, [id]);
}

const Awaiting = ({ error }: { error: Error | null }) =>
  error && (
    <Empty kind="unreachable" title="The console is not responding">
      {error.message}
    </Empty>
  );

/** Starts a new page at its top with the focus on its content, as after a full load. */
function useFocusOnNewPage(pathname: string): void {
  const before = useRef(pathname);
  useEffect(() => {
    if (before.current === pathname) return;
    before.current = pathname;
    window.scrollTo(0, 0);
    document.querySelector<HTMLElement>('main')?.focus({ preventScroll: true });
  }, [pathname]);
}
