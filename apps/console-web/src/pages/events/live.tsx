import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { type LiveItem, type LiveWindow, paceText, judgeState, itemTime } from '../../data/live-window';
import { type LiveFeed, type LiveState, useLive } from '../../data/use-live';
import { Badge } from '../../ui/badge';
import { Button } from '../../ui/button';
import { Card, Page } from '../../ui/card';
import { Empty } from '../../ui/empty';
import { LiveList } from '../../ui/live-list';
import { exactText } from '../../ui/number';
import { Sent } from '../../ui/sent';
import { durationText, Time, useNow } from '../../ui/zone';
import { LiveDrawer } from './live-drawer';
import { EventDrawer } from './event-drawer';
import { EventFilters, pickFilters, hasFilter, noFilter } from './event-filters';
import { EventTime } from './event-time';
import './events.css';

const route = getRouteApi('/shell/live');

/** Messages as they arrive, and whether they are stored or refused. */
export function LivePage() {
  const { id, ...search } = route.useSearch();
  const { state, ...filters } = pickFilters(search);
  const live = useLive(filters);
  const [open, setOpen] = useOpenItem(id, live.window.items);
  const { items, held: waitingItems, confirmed } = live.window;
  const shownItems = state ? items.filter((item) => judgeState(item, confirmed) === state) : items;
  usePauseKey(live);
  return (
    <Page
      title="Events"
      question="What arrives right now, and is it stored?"
      actions={
        <>
          <Button
            icon={live.isPaused ? 'play' : 'pause'}
            className="live-pause"
            onClick={() => live.setPaused(!live.isPaused)}
          >
            {live.isPaused ? `Resume${waitingItems.length > 0 ? ` (${waitingItems.length} new)` : ''}` : 'Pause'}
          </Button>
          <EventTime span="1h" isLive />
        </>
      }
    >
      <EventFilters isLive />
      <Card flush>
        <LiveLine live={live} />
        <LiveList
          label="Messages, newest first"
          items={shownItems}
          itemKey={({ key }) => key}
          onOpen={setOpen}
          onScrolledDown={live.setPaused}
          empty={<Nothing isFiltered={hasFilter({ ...filters, ...(state && { state }) })} state={live.state} />}
        >
          {(item) => <ItemLine item={item} state={judgeState(item, confirmed)} />}
        </LiveList>
      </Card>
      <OpenRow {...{ id, item: open, state: open && judgeState(open, confirmed) }} onClose={() => setOpen(null)} />
      <Announcer count={items.length + waitingItems.length} />
    </Page>
  );
}

interface OpenRowProps {
  id: string | undefined;
  item: LiveItem | null;
  state: string | null;
  onClose: () => void;
}

const OpenRow = ({ id, item, state, onClose }: OpenRowProps) =>
  id !== undefined && item === null ? (
    <EventDrawer {...{ id, onClose }} />
  ) : (
    <LiveDrawer {...{ item, state, onClose }} />
  );

/** The open row, which the address names. It stays when the window moves on; one from another tab is read from its table. */
function useOpenItem(
  id: string | undefined,
  items: readonly LiveItem[],
): [LiveItem | null, (item: LiveItem | null) => void] {
  const navigate = useNavigate({ from: '/live' });
  const [chosen, setChosen] = useState<LiveItem | null>(null);
  const open = id === undefined ? null : (items.find(({ key }) => key === id) ?? chosen);
  return [
    open?.key === id ? open : null,
    (item) => {
      setChosen(item);
      void navigate({ search: (now) => ({ ...now, id: item?.key }) });
    },
  ];
}

/** Space pauses or resumes, unless a control has the focus. */
function usePauseKey({ isPaused, setPaused }: LiveFeed): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const target = event.target as HTMLElement;
      if (event.key !== ' ' || target.closest('button, a, input, select, textarea, [role="dialog"]')) return;
      event.preventDefault();
      setPaused(!isPaused);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [isPaused, setPaused]);
}

const states: Record<LiveState, string> = {
  connecting: 'Connecting…',
  open: 'Live',
  lost: 'Connection lost. Reconnecting…',
  hidden: 'Paused while the tab is hidden',
  full: 'Too many people are watching',
  slow: 'This browser could not keep up',
  limit: 'Stopped after 30 minutes',
  'signed-out': 'You are signed out',
  rights: 'Your rights have changed',
};

const ended = new Set<LiveState>(['full', 'slow', 'limit']);

const LiveLine = ({ live: { state, window, again, isPaused } }: { live: LiveFeed }) => (
  <div className="live-line" data-live={state}>
    <span className="row">
      <span className={`live-dot live-dot-${state === 'open' && !isPaused ? 'on' : 'off'}`} />
      <strong>{isPaused && state === 'open' ? 'Paused' : states[state]}</strong>
      {ended.has(state) && <Button onClick={again}>Resume</Button>}
    </span>
    {state === 'open' && <Pace window={window} />}
  </div>
);

/** The exact share of messages that is shown, and how old they are. */
function Pace({ window }: { window: LiveWindow }) {
  const { lagMs } = window;
  const text = paceText(window, useNow());
  return (
    <span className="soft">
      {text}
      {lagMs !== null && text.startsWith('Shows') && `, ${durationText(Math.max(lagMs, 1) / 1000)} old`}
      {window.dropped > 0 && `; ${exactText(window.dropped)} matching rows were left out`}
    </span>
  );
}

function ItemLine({ item, state }: { item: LiveItem; state: string }) {
  const { sourceIdentifier, sourceName = '' } = item.kind === 'row' ? item.row : item.refusal;
  const [subject, origin] =
    item.kind === 'row'
      ? [item.row.event, item.row.user]
      : [`${item.refusal.status} ${item.refusal.problems[0]?.field ?? item.refusal.reason}`, item.refusal.route];
  return (
    <>
      <Time at={itemTime(item)} millis />
      <Badge state={state} />
      <strong>
        <Sent text={subject} />
      </strong>
      <Sent className="soft" text={origin} />
      <Sent className="soft" text={sourceName === '' ? sourceIdentifier : sourceName} />
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
        Only messages that arrive from now on are shown here. Choose a time to see earlier ones.
      </Empty>
    );
  const clear = (
    <Button
      onClick={() => {
        void navigate({ search: (now) => ({ ...now, ...noFilter }) });
      }}
    >
      Clear the filters
    </Button>
  );
  return (
    <Empty kind="filtered" title="Nothing that matches has arrived yet" action={clear}>
      Only messages that arrive from now on and match the filters are shown here. Choose a time to see earlier ones.
    </Empty>
  );
}

/** Announces how much is new, at most every ten seconds. */
function Announcer({ count }: { count: number }) {
  const [announcement, setAnnouncement] = useState({ count: 0, text: '' });
  useEffect(() => {
    const timer = setInterval(
      () =>
        setAnnouncement((before) =>
          before.count === count ? before : { count, text: `${Math.max(count - before.count, 0)} new` },
        ),
      10_000,
    );
    return () => clearInterval(timer);
  }, [count]);
  return (
    <p className="visually-hidden" role="status">
      {announcement.text}
    </p>
  );
}
