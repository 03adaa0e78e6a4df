import { type Lifecycle, type LifecycleEvent } from '@sluice/sdk-core';
import { type Head } from '../queue/stored.js';

interface Told {
  /** Consent was denied in another page. */
  denied(): void;
  /** What the page holds is to be let go. */
  gone(mayComeBack: boolean): void;
  /** It came back. */
  back(): void;
}

/** Time in which a page gets the lock that shows that it lives. */
const youth = 2_000;
/** Timers of hidden pages are held back for a minute. */
const heldBack = 60_000;
const lookAgain = 10_000;

/** The life of a page among others of its origin: which of them sends, and who lives. */
export class PageLifecycle implements Lifecycle {
  readonly owner: string;
  private readonly listeners = new Set<(event: LifecycleEvent) => void>();
  private locks: LockManager | undefined = navigator.locks;
  private isElected = false;
  /** Counts the times at which this page got the lock. */
  private grants = 0;
  private isWaiting = false;
  private isGone = true;
  private release: (() => void) | undefined;
  /** Ends when the page lets go of its locks. */
  private held: { free: Promise<void>; signal: AbortSignal } | undefined;
  private channel: BroadcastChannel | undefined;
  private lookTimer: ReturnType<typeof setTimeout> | undefined;

  /** @param name of the source's locks and channel */
  constructor(
    private readonly name: string,
    owner: string,
    private readonly flushInterval = 2_000,
    private readonly told: Told,
  ) {
    this.owner = `${name}.${owner}`;
    addEventListener('pagehide', () => {
      this.isGone = true;
      this.emit('hide');
    });
    // Behind the microtasks of the listener before.
    addEventListener('pagehide', ({ persisted }) => {
      this.letGo(persisted);
    });
    addEventListener('pageshow', ({ persisted }) => {
      if (!persisted || this.listeners.size === 0) return;
      this.told.back();
      this.take();
      this.emit('show');
    });
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'hidden') this.emit('hide');
      else if (!this.isGone) {
        if (!this.isElected) this.elect(true);
        this.emit('show');
      }
    });
    addEventListener('online', () => {
      this.emit('online');
    });
    this.take();
  }

  subscribe(listener: (event: LifecycleEvent) => void): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size === 0) this.letGo();
    };
  }

  /** Without Web Locks each page sends what it finds: a repeat costs a request, never a row. */
  isSender(): boolean {
    return !this.locks || this.isElected;
  }

  isLeaving(): boolean {
    return this.isGone || document.visibilityState === 'hidden';
  }

  /** Tells the other pages. */
  tell(what: 'wake' | 'denied'): void {
    if (what === 'denied' || !this.isSender()) this.channel?.postMessage(what);
  }

  /** Whether the page that appends to an open batch lives: it has its lock, or is too young to have it. */
  async isOwned(): Promise<(head: Head) => boolean> {
    const held = (await this.locks?.query())?.held?.map(({ name }) => name) ?? [];
    const longest = this.locks ? youth : this.flushInterval + heldBack;
    const isOwned = ({ owner, created }: Head): boolean =>
      owner !== undefined && (held.includes(owner) || Math.abs(Date.now() - created) < longest);
    return (head) => {
      const answer = isOwned(head);
      if (answer) {
        this.lookTimer ??= setTimeout(
          () => {
            this.lookTimer = undefined;
            this.emit('wake');
          },
          Math.min(longest, lookAgain),
        );
      }
      return answer;
    };
  }

  private take(): void {
    this.isGone = false;
    if (typeof BroadcastChannel !== 'undefined') {
      this.channel = new BroadcastChannel(this.name);
      this.channel.onmessage = ({ data }) => {
        if (data === 'denied') this.told.denied();
        else this.emit('wake');
      };
    }
    const controller = new AbortController();
    let freed: () => void = () => undefined;
    const free = new Promise<void>((resolve) => (freed = resolve));
    this.release = () => {
      controller.abort();
      freed();
    };
    this.held = { free, signal: controller.signal };
    void this.locks?.request(this.owner, () => free).catch(() => undefined);
    // A visible page is not held back: it takes over from one that may be.
    this.elect(document.visibilityState === 'visible');
  }

  private elect(isStealing: boolean): void {
    const { held, locks } = this;
    // One request in the line is enough.
    if (!held || !locks || (!isStealing && this.isWaiting)) return;
    this.isWaiting ||= !isStealing;
    const options = isStealing ? { steal: true } : { signal: held.signal };
    let grant = 0;
    locks
      .request(this.name, options, () => {
        if (!isStealing) this.isWaiting = false;
        this.isElected = true;
        grant = ++this.grants;
        this.emit('wake');
        return held.free;
      })
      .catch((error: unknown) => {
        // A page without an origin of its own, as in a sandbox, has no locks.
        if ((error as Error).name !== 'AbortError') this.locks = undefined;
        // A page that is shown may take the lock from a request of its own, which was granted the moment before.
        if (held !== this.held || grant !== this.grants) return;
        // Another page has taken it.
        this.isElected = false;
        this.elect(false);
      });
  }

  /** Whatever may keep the page out of the back-forward cache. */
  private letGo(mayComeBack = false): void {
    this.isElected = this.isWaiting = false;
    this.held = undefined;
    this.release?.();
    this.channel?.postMessage('wake');
    this.channel?.close();
    this.channel = undefined;
    this.told.gone(mayComeBack);
  }

  private emit(event: LifecycleEvent): void {
    for (const listener of this.listeners) listener(event);
  }
}
