import { parseKeyRing, PushTokens } from '@sluice/push-tokens';
import { type RunningStack } from './local-stack.js';
import { type DemoOptions } from './options.js';
import { type TableCount, countStored } from './result/stored.js';
import { Gateway } from './sending/gateway.js';
import { sendAll } from './sending/send-all.js';
import { type SentCounts, Tally } from './sending/tally.js';
import { DemoShop } from './shop/shop.js';

const storedTimeoutMs = 60_000;

export interface DemoOutcome {
  readonly sent: SentCounts;
  readonly tableCounts: readonly TableCount[];
}

/** One run of the demo shop against a local stack. */
export class Demo {
  private readonly startedAt = Date.now();
  private readonly run = this.startedAt.toString(36);
  private readonly tally = new Tally();
  private readonly shop: DemoShop;

  constructor(
    private readonly stack: RunningStack,
    private readonly options: DemoOptions,
  ) {
    const { seed, users, durationMs: openMs, historyDays: days } = options;
    const { sourceIdentifier } = stack.source;
    const tokens = new PushTokens({ PUSH_TOKEN_KEYS: parseKeyRing(stack.pushTokenKeys), PUSH_TOKEN_ACTIVE_KEY: '' });
    this.shop = new DemoShop({
      seed,
      users,
      sourceIdentifier,
      openMs,
      run: this.run,
      history: days === undefined ? undefined : { now: this.startedAt, days },
      seal: (token) => tokens.seal(token),
    });
  }

  get sent(): SentCounts {
    return this.tally.sent;
  }

  /** Sends until the history is complete, time is up or `stop` is called; then waits until the rows are stored. */
  async play(): Promise<DemoOutcome> {
    await sendAll(this.shop.steps(), new Gateway(this.stack, this.tally), this.options.rate);
    const { run: name, startedAt, sent } = this;
    return { sent, tableCounts: await countStored(this.stack, { name, startedAt }, sent, storedTimeoutMs) };
  }

  /** Ends new activity; queued messages are still sent. */
  stop(): void {
    this.shop.close();
  }
}
