import { attempt, type Lifecycle, type LifecycleEvent } from '@sluice/sdk-core';
import { type Page } from '../queue/page.js';
import { type Head } from '../queue/stored.js';

/** Milliseconds in which a page gets the lock that shows that it is alive. */
const youth = 2_000;
/** Browsers delay timers of hidden pages by up to a minute. */
const heldBack = 62_000;
const lookAgain = 10_000;

const isHidden = (): boolean => document.visibilityState === 'hidden';

/** The time for which a page has its locks. */
interface Lease {
  readonly controller: AbortController;
  readonly over: Promise<unknown>;
}

/** The life of a page among others of its origin: which of them sends, and which are alive. */
export class PageLifecycle implements Required<Lifecycle>, Page {
  readonly owner: string;
  readonly #name: string;
  readonly #onLetGo: (isHidden: boolean) => void;
  /** Undefined where Web Locks are missing or refused. */
  #locks: LockManager | undefined;
  #lease: Lease | undefined;
  #isElected = false;
  /** True until the browser has answered whether this page gets that lock from another one. */
  #isStealing = false;
  /** Number of times that this page got the lock of the sender. */
  #grants = 0;
  /** True while this page waits for that lock. */
  #isWaiting = false;
  /** True before the client begins and while the page is in the back-forward cache. */
  #isGone = true;
  #channel: BroadcastChannel | undefined;
  #lookTimer: ReturnType<typeof setTimeout> | undefined;
  #listener: ((event: LifecycleEvent) => void) | undefined;

  /**
   * @param name of the source's locks and channel
   * @param onLetGo called with true when the page leaves and may come back, with false when it comes back or ends
   */
  constructor(name: string, id: string, onLetGo: (isHidden: boolean) => void) {
    this.owner = `${name}.${id}`;
    this.#name = name;
    this.#onLetGo = onLetGo;
    this.#locks = attempt(() => navigator.locks);
  }

  subscribe(listener: (event: LifecycleEvent) => void): () => void {
    const life = new AbortController();
    const { signal } = life;
    this.#listener = listener;
    const hide = (): void => {
      this.#isGone = true;
      this.#emit('hide');
    };
    addEventListener('pagehide', hide, { signal });
    // A separate listener, so that it runs after the microtasks of the one above.
    addEventListener('pagehide', ({ persisted }) => this.#letGo(persisted), { signal });
    addEventListener('pageshow', ({ persisted }) => this.#show(persisted), { signal });
    document.addEventListener('visibilitychange', () => this.#changeVisibility(), { signal });
    addEventListener('online', () => this.#emit('online'), { signal });
    this.#take();
    return () => {
      this.#listener = undefined;
      life.abort();
      clearTimeout(this.#lookTimer);
      this.#letGo();
    };
  }

  /** Without Web Locks each page sends what it finds: a repeat costs a request, never a row. */
  isSender(): boolean | undefined {
    return !this.#locks || this.#isElected || (this.#isStealing ? undefined : false);
  }

  isLeaving(): boolean {
    return this.#isGone || isHidden();
  }

  denied(): void {
    this.#channel?.postMessage('denied');
  }

  wake(): void {
    if (!this.isSender()) this.#channel?.postMessage('wake');
  }

  /** A page that appends to an open batch holds its own lock, or is too young to hold it. */
  async isOwned(): Promise<(head: Pick<Head, 'owner' | 'created'>) => boolean> {
    const answer = await this.#ask((locks) => locks.query())?.catch(() => undefined);
    const heldLocks = answer?.held?.map((lock) => lock.name) ?? [];
    const maxYouth = this.#locks ? youth : heldBack;
    return ({ owner, created }) => {
      const isOwned = !!owner && (heldLocks.includes(owner) || Math.abs(Date.now() - created) < maxYouth);
      if (isOwned) this.#lookAfter(Math.min(maxYouth, lookAgain));
      return isOwned;
    };
  }

  #emit(event: LifecycleEvent): void {
    this.#listener?.(event);
  }

  /** Emits `wake` when the open batches of other pages may be free. */
  #lookAfter(ms: number): void {
    this.#lookTimer ??= setTimeout(() => {
      this.#lookTimer = undefined;
      this.#emit('wake');
    }, ms);
  }

  #show(isFromCache: boolean): void {
    if (!isFromCache) return;
    this.#onLetGo(false);
    this.#take();
    this.#emit('show');
  }

  #changeVisibility(): void {
    if (isHidden()) this.#emit('hide');
    else if (!this.#isGone) {
      if (!this.#isElected) this.#elect(true);
      this.#emit('show');
    }
  }

  /** Takes the locks and the channel. */
  #take(): void {
    this.#isGone = false;
    const controller = new AbortController();
    const over = new Promise((resolve) => {
      controller.signal.onabort = resolve;
    });
    this.#lease = { controller, over };
    // Firefox throws where cookies are blocked. The page is then alone: it shares no storage with others either.
    this.#channel = attempt(() => new BroadcastChannel(this.#name));
    if (this.#channel)
      this.#channel.onmessage = ({ data }: MessageEvent<'wake' | 'denied'>) => {
        // The page that sends looks for what others have sealed; another one looks when it becomes the sender.
        if (data === 'denied' || this.isSender()) this.#emit(data);
      };
    this.#ask((locks) => locks.request(this.owner, () => over))?.catch(() => undefined);
    // The timers of a visible page are not delayed: it takes over from a page whose timers may be.
    this.#elect(!isHidden());
  }

  /** Lets go of whatever may keep the page out of the back-forward cache. */
  #letGo(mayComeBack = false): void {
    this.#lease?.controller.abort();
    this.#lease = undefined;
    this.#isElected = this.#isWaiting = this.#isStealing = false;
    this.#channel?.postMessage('wake');
    this.#channel?.close();
    this.#channel = undefined;
    this.#onLetGo(mayComeBack);
  }

  /** Asks for locks. A browser may refuse them by an exception, too. */
  #ask<T>(work: (locks: LockManager) => Promise<T>): Promise<T> | undefined {
    try {
      return this.#locks && work(this.#locks);
    } catch {
      this.#locks = undefined;
      return undefined;
    }
  }

  /** Asks for the lock of the page that sends, or steals it. */
  #elect(isStealing: boolean): void {
    const lease = this.#lease;
    // One waiting request is enough.
    if (!lease || (!isStealing && this.#isWaiting)) return;
    this.#isWaiting ||= !isStealing;
    this.#isStealing ||= isStealing;
    let grant = 0;
    const onGranted = (): Promise<unknown> => {
      this.#isWaiting &&= isStealing;
      this.#isStealing = false;
      this.#isElected = true;
      grant = ++this.#grants;
      this.#emit('wake');
      return lease.over;
    };
    const options = isStealing ? { steal: true } : { signal: lease.controller.signal };
    this.#ask((locks) => locks.request(this.#name, options, onGranted))?.catch((error: unknown) => {
      // A page without an origin of its own, as in a sandbox, has no locks.
      if ((error as Error).name !== 'AbortError') this.#locks = undefined;
      // A page that is shown may steal the lock from its own request, which was granted the moment before.
      if (lease !== this.#lease || grant !== this.#grants) return;
      // Another page has taken it.
      this.#isElected = this.#isStealing = false;
      this.#elect(false);
    });
  }
}
