import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { type LiveItem, paceText, stateOf, timeOf } from '../data/live-window';
import { type Live, type LiveState, useLive } from '../data/use-live';
import { useRead } from '../data/use-api';
import { Badge } from '../ui/badge';
import { Button } from '../ui/button';
import { Card, Page } from '../ui/card';
import { Empty } from '../ui/empty';
import { LiveList } from '../ui/live-list';
import { Sent } from '../ui/sent';
import { durationText, Time } from '../ui/zone';
import { LiveDrawer } from './live-drawer';
import { LiveFilters } from './live-filters';
import './live.css';

const route = getRouteApi('/shell/live');

/** What arrives right now, and did it get in? */
export function LivePage() {
  const { source, user, event, state } = route.useSearch();
  const live = useLive({ ...(source && { source }), ...(user && { user }), ...(event && { event }) });
  const [open, setOpen] = useState<LiveItem | null>(null);
  const { items, held, confirmed } = live.window;
  const shown = state ? items.filter((item) => stateOf(item, confirmed) === state) : items;
  usePauseKey(live);
  return (
    <Page
      title="Live"
      question="What arrives right now, and did it get in?"
      actions={
        <Button
          icon={live.isPaused ? 'play' : 'pause'}
          className="live-pause"
          onClick={() => {
            live.setPaused(!live.isPaused);
          }}
        >
          {live.isPaused ? `Go on${held.length > 0 ? ` (${held.length} new)` : ''}` : 'Pause'}
        </Button>
      }
    >
      <LiveFilters />
      <Card flush>
        <LiveLine live={live} />
        <LiveList
          label="Messages, newest first"
          items={shown}
          itemKey={({ key }) => key}
          onOpen={setOpen}
          onAway={live.setPaused}
          empty={<Nothing isFiltered={Boolean(source ?? user ?? event ?? state)} state={live.state} />}
        >
          {(item) => <LiveLineOf item={item} state={stateOf(item, confirmed)} />}
        </LiveList>
      </Card>
      <LiveDrawer
        item={open}
        state={open && stateOf(open, confirmed)}
        onClose={() => {
          setOpen(null);
        }}
      />
      <Announcer count={items.length + held.length} />
    </Page>
  );
}

/** Space pauses, unless a control has the focus. */
function usePauseKey({ isPaused, setPaused }: Live): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const target = event.target as HTMLElement;
      if (event.key !== ' ' || target.closest('button, a, input, select, textarea, [role="dialog"]')) return;
      event.preventDefault();
      setPaused(!isPaused);
    };
    document.addEventListener('keydown', onKey);
    return () => {
      document.removeEventListener('keydown', onKey);
    };
  }, [isPaused, setPaused]);
}

const states: Record<LiveState, string> = {
  connecting: 'Connecting…',
  open: 'Live',
  lost: 'The stream is lost; it is opened again',
  hidden: 'Stopped while the tab is hidden',
  full: 'Too many people watch at once',
  slow: 'This browser did not keep up',
  limit: 'Stopped after half an hour',
  'signed-out': 'You are signed out',
  rights: 'Your rights have changed',
};

const ended = new Set<LiveState>(['full', 'slow', 'limit']);

/** How much of all is shown, exactly, and how old it is. */
const LiveLine = ({ live: { state, window, again, isPaused } }: { live: Live }) => (
  <div className="live-line" data-live={state}>
    <span className="row">
      <span className={`live-dot live-dot-${state === 'open' && !isPaused ? 'on' : 'off'}`} />
      <strong>{isPaused && state === 'open' ? 'Paused' : states[state]}</strong>
      {ended.has(state) && <Button onClick={again}>Go on</Button>}
    </span>
    {state === 'open' && (
      <span className="soft">
        Shows {paceText(window)}
        {window.lagMs !== null && `, ${durationText(Math.max(window.lagMs, 1) / 1000)} old`}
        {window.dropped > 0 && `; ${window.dropped.toLocaleString('en')} matching ones were left out`}
      </span>
    )}
  </div>
);

function LiveLineOf({ item, state }: { item: LiveItem; state: string }) {
  const { data: sources } = useRead('GET /api/sources');
  const id = item.kind === 'row' ? item.row.sourceIdentifier : item.refusal.sourceIdentifier;
  const name = sources?.find(({ sourceIdentifier }) => sourceIdentifier === id)?.name ?? id;
  const [what, who] =
    item.kind === 'row'
      ? [item.row.event, item.row.user]
      : [`${item.refusal.status} ${item.refusal.problems[0]?.field ?? item.refusal.reason}`, item.refusal.route];
  return (
    <>
      <Time at={timeOf(item)} millis />
      <Badge state={state} />
      <strong>
        <Sent text={what} />
      </strong>
      <Sent className="soft" text={who} />
      <Sent className="soft" text={name} />
    </>
  );
}

function Nothing({ isFiltered, state }: { isFiltered: boolean; state: LiveState }) {
  const navigate = useNavigate({ from: '/live' });
  if (state !== 'open')
    return (
      <Empty kind="waiting" title={states[state]}>
        Rows appear here as soon as the stream is open.
      </Empty>
    );
  if (!isFiltered)
    return (
      <Empty kind="waiting" title="Waiting for the next event" action={<Link to="/sources">How to send one</Link>}>
        Only what arrives from now on is shown here.
      </Empty>
    );
  const clear = (
    <Button
      onClick={() => {
        void navigate({ search: (now) => (now.tz ? { tz: now.tz } : {}) });
      }}
    >
      Clear the filters
    </Button>
  );
  return (
    <Empty kind="filtered" title="Nothing that matches has arrived yet" action={clear}>
      Only what arrives from now on and passes the filters is shown here.
    </Empty>
  );
}

/** Tells a reader how much is new, at most each ten seconds. */
function Announcer({ count }: { count: number }) {
  const [said, setSaid] = useState({ count: 0, text: '' });
  useEffect(() => {
    const timer = setInterval(() => {
      setSaid((before) =>
        before.count === count ? before : { count, text: `${Math.max(count - before.count, 0)} new` },
      );
    }, 10_000);
    return () => {
      clearInterval(timer);
    };
  }, [count]);
  return (
    <p className="visually-hidden" role="status">
      {said.text}
    </p>
  );
}
