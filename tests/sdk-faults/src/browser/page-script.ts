/** Factor by which a page's time passes faster: half a minute of silence is one and a half seconds. */
const speed = 20;
/** Waits up to this length are not shortened: those of the browser's own databases, and of young pages. */
const realWaitMs = 3_000;

/** Name of the function by which a page reports what it took: `(tab, numbers, time)`. */
export const tookName = 'bookTook';
/** Name of the function by which a page passes on what errorHandler got: `(code, count)`. */
export const lossName = 'bookLoss';

/** Name of the function by which a page reports a completed write of the control: `(time)`, when it began. */
export const controlName = 'bookControl';

/**
 * Runs in each page before its own scripts. The query's `skew` is the error of the device's clock in milliseconds.
 * @param beganAt time from which the clocks of all pages of a run count, so that a later page continues the time
 */
export const clockScript = (beganAt: number): string => `{
  const RealDate = Date;
  const realNow = performance.now.bind(performance);
  const realTimeout = setTimeout;
  const skew = Number(new URLSearchParams(location.search).get('skew') ?? 0);
  const now = () => Math.floor(${beganAt} + (RealDate.now() - ${beganAt}) * ${speed} + skew);
  globalThis.bookNow = RealDate.now.bind(RealDate);
  globalThis.Date = class extends RealDate {
    constructor(...args) {
      super(...(args.length === 0 ? [now()] : args));
    }
    static now() {
      return now();
    }
  };
  performance.now = () => realNow() * ${speed};
  globalThis.setTimeout = (work, ms = 0, ...args) =>
    realTimeout(work, ms > ${realWaitMs} ? Math.max(${realWaitMs} / ${speed}, ms / ${speed}) : ms, ...args);
}`;

/** Event of the messages of a run. */
export const pageEventName = 'browser_faults';

/** The page: a client, and `book`, which numbers the taken messages like the client's stream. */
export const pageText = (run: string, options: object): string => `<!doctype html><title>Faults</title>
<script src="/sluice.js"></script>
<script>
  const client = sluice.createClient({
    ...${JSON.stringify(options)},
    errorHandler: ({ code, count = 0 }) => globalThis.${lossName}?.(code, count),
  });
  const book = {
    tab: Math.random().toString(36).slice(2) + Math.random().toString(36).slice(2),
    n: 0,
    track(times) {
      const numbers = [];
      for (; times > 0; times--) {
        const properties = { run: '${run}', tab: this.tab, n: this.n, text: 'x'.repeat(200) };
        if (client.track('${pageEventName}', properties)) numbers.push(this.n++);
      }
      return { tab: this.tab, numbers, at: bookNow() };
    },
  };
  // Events of the page itself, between those of the run.
  setInterval(() => {
    const { tab, numbers, at } = book.track(1);
    globalThis.${tookName}?.(tab, numbers, at);
  }, 400);
  addEventListener('pagehide', () => book.track(1));
  // The control: a database that the SDK does not know shows how far IndexedDB of this browser is behind.
  const opening = indexedDB.open('control', 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore('times');
  opening.onsuccess = () => setInterval(() => {
    const at = bookNow();
    const transaction = opening.result.transaction('times', 'readwrite', { durability: 'relaxed' });
    transaction.objectStore('times').put(at, 0);
    transaction.oncomplete = () => globalThis.${controlName}?.(at);
  }, 200);
</script>`;
