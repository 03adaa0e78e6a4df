import { attempt, type Lifecycle, type LifecycleEvent } from '@sluice/sdk-core';
import { type Page } from '../queue/web-queue.js';

/** Time in which a page gets the lock that shows that it lives. */
const youth = 2_000;
/** Timers of hidden pages are held back for a minute. */
const heldBack = 62_000;
const lookAgain = 10_000;

const isHidden = (): boolean => document.visibilityState === 'hidden';

/**
 * The life of a page among others of its origin: which of them sends, and who lives.
 * @param name of the source's locks and channel
 * @param letGoOf called with true when the page leaves and may come back, with false when it comes back or ends
 */
// eslint-disable-next-line max-lines-per-function -- a factory of short functions: private names cost a page nothing
export function createLifecycle(
  name: string,
  id: string,
  letGoOf: (isUnreachable: boolean) => void,
): Required<Lifecycle> & Page {
  const owner = `${name}.${id}`;
  let emit: (event: LifecycleEvent) => void = () => undefined;
  let locks: LockManager | undefined = attempt(() => navigator.locks);
  let isElected = false;
  /** Counts the times at which this page got the lock. */
  let grants = 0;
  let isWaiting = false;
  let isGone = true;
  /** Ends when the page lets go of its locks. */
  let lease: { readonly controller: AbortController; readonly over: Promise<unknown> } | undefined;
  let channel: BroadcastChannel | undefined;
  let lookTimer: ReturnType<typeof setTimeout> | undefined;

  const isSender = (): boolean => !locks || isElected;

  function take(): void {
    isGone = false;
    const controller = new AbortController();
    const over = new Promise((resolve) => {
      controller.signal.onabort = resolve;
    });
    lease = { controller, over };
    // Firefox throws where cookies are blocked. The page is then alone: it shares no storage with others either.
    channel = attempt(() => new BroadcastChannel(name));
    if (channel) channel.onmessage = heard;
    asked(() => locks?.request(owner, () => over))?.catch(() => undefined);
    // A visible page is not held back: it takes over from one that may be.
    elect(!isHidden());
  }

  function heard({ data }: MessageEvent<'wake' | 'denied'>): void {
    // The page that sends looks for what others have sealed; another one looks when it becomes the sender.
    if (data === 'denied' || isSender()) emit(data);
  }

  /** The answer of the locks, which a browser may refuse by an exception, too. */
  function asked<T>(work: () => Promise<T> | undefined): Promise<T> | undefined {
    try {
      return work();
    } catch {
      locks = undefined;
      return undefined;
    }
  }

  function elect(isStealing: boolean): void {
    const own = lease;
    // One request in the line is enough.
    if (!own || !locks || (!isStealing && isWaiting)) return;
    isWaiting ||= !isStealing;
    let grant = 0;
    const granted = (): Promise<unknown> => {
      isWaiting &&= isStealing;
      isElected = true;
      grant = ++grants;
      emit('wake');
      return own.over;
    };
    const how = isStealing ? { steal: true } : { signal: own.controller.signal };
    asked(() => locks?.request(name, how, granted))?.catch((error: unknown) => {
      // A page without an origin of its own, as in a sandbox, has no locks.
      if ((error as Error).name !== 'AbortError') locks = undefined;
      // A page that is shown may take the lock from a request of its own, which was granted the moment before.
      if (own !== lease || grant !== grants) return;
      // Another page has taken it.
      isElected = false;
      elect(false);
    });
  }

  /** Whatever may keep the page out of the back-forward cache. */
  function letGo(mayComeBack = false): void {
    lease?.controller.abort();
    lease = undefined;
    isElected = isWaiting = false;
    channel?.postMessage('wake');
    channel?.close();
    channel = undefined;
    letGoOf(mayComeBack);
  }

  return {
    owner,
    /** Without Web Locks each page sends what it finds: a repeat costs a request, never a row. */
    isSender,
    isLeaving: () => isGone || isHidden(),
    denied() {
      channel?.postMessage('denied');
    },
    wake() {
      if (!isSender()) channel?.postMessage('wake');
    },
    /** A page that appends to an open batch has its lock, or is too young to have it. */
    async isOwned() {
      const held = (await asked(() => locks?.query())?.catch(() => undefined))?.held?.map((lock) => lock.name) ?? [];
      const longest = locks ? youth : heldBack;
      return (head) => {
        const { owner } = head;
        const isOwned = !!owner && (held.includes(owner) || Math.abs(Date.now() - head.created) < longest);
        if (isOwned) {
          const look = (): void => {
            lookTimer = undefined;
            emit('wake');
          };
          lookTimer ??= setTimeout(look, Math.min(longest, lookAgain));
        }
        return isOwned;
      };
    },
    subscribe(listener) {
      const life = new AbortController();
      const { signal } = life;
      emit = listener;
      addEventListener(
        'pagehide',
        () => {
          isGone = true;
          emit('hide');
        },
        { signal },
      );
      // Behind the microtasks of the listener before.
      const left = ({ persisted }: PageTransitionEvent): void => letGo(persisted);
      addEventListener('pagehide', left, { signal });
      const shown = ({ persisted }: PageTransitionEvent): void => {
        if (!persisted) return;
        letGoOf(false);
        take();
        emit('show');
      };
      addEventListener('pageshow', shown, { signal });
      const changed = (): void => {
        if (isHidden()) emit('hide');
        else if (!isGone) {
          if (!isElected) elect(true);
          emit('show');
        }
      };
      document.addEventListener('visibilitychange', changed, { signal });
      const online = (): void => emit('online');
      addEventListener('online', online, { signal });
      take();
      return () => {
        emit = () => undefined;
        life.abort();
        clearTimeout(lookTimer);
        letGo();
      };
    },
  };
}
