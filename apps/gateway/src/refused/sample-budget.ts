const kindLimit = { max: 5, everyMs: 60_000 };
const totalLimit = { max: 20, everyMs: 1_000 };
/** Keyless requests cost a client nothing, so they have a budget of their own. */
const keylessLimit = { max: 5, everyMs: 1_000 };
/** Additional samples per second of a source that someone watches, and of all such sources together. */
const watchedLimit = { max: 20, everyMs: 1_000 };
const allWatchedLimit = { max: 60, everyMs: 1_000 };
/** Requests that only claim a source could name all of them, so they have a budget of their own together. */
const claimedLimit = { max: 20, everyMs: 1_000 };
const maxKinds = 5_000;

interface Window {
  count: number;
  until: number;
}

/** Decides which refusals are kept as samples: a few of each kind, and a bounded number of all. */
export class SampleBudget {
  private kinds = new Map<string, Window>();
  private readonly all: Window = { count: 0, until: 0 };
  private readonly keyless: Window = { count: 0, until: 0 };
  private readonly allWatched: Window = { count: 0, until: 0 };
  private readonly allClaimed: Window = { count: 0, until: 0 };
  private watched = new Map<string, Window>();

  /** Whether one more of this kind may be kept now; if so, it is counted. */
  take(source: string, reason: string, isWatched = false, now = performance.now()): boolean {
    return this.takeUsual(source, reason, now) || (isWatched && this.takeWatched(source, now));
  }

  /** Whether a sample that claims a source may be kept now: a cheap question, before the source is looked for. */
  hasRoomForClaims(now = performance.now()): boolean {
    renew(this.allClaimed, claimedLimit.everyMs, now);
    return this.allClaimed.count < claimedLimit.max;
  }

  /**
   * Counts one more sample that claims the source, if it may be kept. A watched source skips the limit per kind, not the
   * limit for all claims.
   */
  takeClaimed(source: string, reason: string, isWatched = false, now = performance.now()): boolean {
    if (!this.hasRoomForClaims(now)) return false;
    const key = `claims ${source}\n${reason}`;
    const kind = this.openKind(key, now);
    if (kind.count >= kindLimit.max && !isWatched) return false;
    this.count(key, kind);
    this.allClaimed.count += 1;
    return true;
  }

  private takeUsual(source: string, reason: string, now: number): boolean {
    const key = `${source}\n${reason}`;
    const kind = this.openKind(key, now);
    const shared =
      source === '' ? { window: this.keyless, limit: keylessLimit } : { window: this.all, limit: totalLimit };
    renew(shared.window, shared.limit.everyMs, now);
    if (kind.count >= kindLimit.max || shared.window.count >= shared.limit.max) return false;
    this.count(key, kind);
    shared.window.count += 1;
    return true;
  }

  private openKind(key: string, now: number): Window {
    if (this.kinds.size > maxKinds) this.kinds = new Map([...this.kinds].filter(([, { until }]) => until > now));
    const kind = this.kinds.get(key) ?? { count: 0, until: 0 };
    renew(kind, kindLimit.everyMs, now);
    return kind;
  }

  /** Counts a sample that is kept. Without room its kind is not remembered; the budgets of all kinds together hold. */
  private count(key: string, kind: Window): void {
    if (this.kinds.size <= maxKinds) this.kinds.set(key, kind);
    kind.count += 1;
  }

  private takeWatched(source: string, now: number): boolean {
    if (this.watched.size > maxKinds) this.watched = new Map();
    const watchedWindow = this.watched.get(source) ?? { count: 0, until: 0 };
    renew(watchedWindow, watchedLimit.everyMs, now);
    renew(this.allWatched, allWatchedLimit.everyMs, now);
    if (watchedWindow.count >= watchedLimit.max || this.allWatched.count >= allWatchedLimit.max) return false;
    this.watched.set(source, watchedWindow);
    watchedWindow.count += 1;
    this.allWatched.count += 1;
    return true;
  }
}

function renew(window: Window, everyMs: number, now: number): void {
  if (now < window.until) return;
  window.count = 0;
  window.until = now + everyMs;
}
