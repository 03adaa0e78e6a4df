import { Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useSession } from '../data/session';
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
  const wasSignedIn = useRef(false);
  if (session.data?.user) wasSignedIn.current = true;
  if (session.data && !session.data.user) return <ToSignIn here={href} hasEnded={wasSignedIn.current} />;
  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <aside className="shell-side">
        <Navigation />
      </aside>
      <AppBar user={session.data?.user ?? null} onMenu={() => setMenuOpen(true)} />
      <main id="main" className="shell-main" tabIndex={-1}>
        <ServersDown />
        {session.data ? <Outlet /> : <Awaiting error={session.error} />}
      </main>
      <Dialog open={isMenuOpen} onClose={() => setMenuOpen(false)} title="Sluice" side="start">
        <Navigation />
      </Dialog>
      <Keyboard />
    </div>
  );
}

/** Goes to the sign-in page once, with the first address, because `here` changes on the way. */
function ToSignIn({ here, hasEnded }: { here: string; hasEnded: boolean }) {
  const [to] = useState(here);
  const navigate = useNavigate();
  useEffect(() => {
    void navigate({ to: '/login', search: { to, ...(hasEnded && { problem: 'ended' }) }, replace: true });
  }, [navigate, to, hasEnded]);
  return null;
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
