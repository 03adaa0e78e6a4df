const perKind = { max: 5, everyMs: 60_000 };
const ofAll = { max: 20, everyMs: 1_000 };
/** Keyless requests cost a client nothing, so they have a budget of their own. */
const ofKeyless = { max: 5, everyMs: 1_000 };
/** Additional samples per second of a source that someone watches, and of all such sources together. */
const ofWatched = { max: 20, everyMs: 1_000 };
const ofAllWatched = { max: 60, everyMs: 1_000 };
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
  private watched = new Map<string, Window>();

  /** Whether one more of this kind may be kept now; if so, it is counted. */
  take(source: string, reason: string, isWatched = false, now = performance.now()): boolean {
    return this.takeUsual(source, reason, now) || (isWatched && this.takeWatched(source, now));
  }

  private takeUsual(source: string, reason: string, now: number): boolean {
    if (this.kinds.size > maxKinds) this.kinds = new Map([...this.kinds].filter(([, { until }]) => until > now));
    const key = `${source}\n${reason}`;
    const kind = this.kinds.get(key) ?? { count: 0, until: 0 };
    const shared = source === '' ? { window: this.keyless, limit: ofKeyless } : { window: this.all, limit: ofAll };
    renew(kind, perKind.everyMs, now);
    renew(shared.window, shared.limit.everyMs, now);
    if (kind.count >= perKind.max || shared.window.count >= shared.limit.max) return false;
    if (this.kinds.size <= maxKinds) this.kinds.set(key, kind);
    kind.count += 1;
    shared.window.count += 1;
    return true;
  }

  private takeWatched(source: string, now: number): boolean {
    if (this.watched.size > maxKinds) this.watched = new Map();
    const own = this.watched.get(source) ?? { count: 0, until: 0 };
    renew(own, ofWatched.everyMs, now);
    renew(this.allWatched, ofAllWatched.everyMs, now);
    if (own.count >= ofWatched.max || this.allWatched.count >= ofAllWatched.max) return false;
    this.watched.set(source, own);
    own.count += 1;
    this.allWatched.count += 1;
    return true;
  }
}

function renew(window: Window, everyMs: number, now: number): void {
  if (now < window.until) return;
  window.count = 0;
  window.until = now + everyMs;
}
