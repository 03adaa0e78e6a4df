import { type PushToken } from '@sluice/push-tokens';
import { type Call } from '../call.js';
import { Random } from '../random.js';
import { campaign } from './campaign.js';
import { type Catalog, catalogCalls, makeCatalog } from './catalog.js';
import { type Clock, type History, liveClock, pastClock } from './clock.js';
import { type Happening, identify } from './happening.js';
import { ShopOutbox } from './outbox.js';
import { makePerson, type Person } from './person.js';
import { register, visit } from './visit.js';

export interface ShopOptions {
  readonly seed: string;
  readonly users: number;
  readonly sourceIdentifier: string;
  /** Part of the ids of orders, notifications and push tokens, so that every run makes new ones. */
  readonly run: string;
  /** Undefined means live events. */
  readonly history: History | undefined;
  /** Time that the shop is open after the catalog is sent; undefined means forever. */
  readonly openMs: number | undefined;
  readonly seal: (token: PushToken) => Promise<string>;
}

/** A visit or campaign in progress, with the queue of its sender. */
interface Activity {
  readonly happenings: AsyncIterator<Happening> | Iterator<Happening>;
  readonly outbox: ShopOutbox;
}

const visitsAtOnce = 25;
const visitsPerUserAndDay = 0.15;
const visitsPerCampaign = 400;
const largestBatch = 100;

/** A shop and its people. The same options make the same requests, except for tokens and for times of live events. */
export class Shop {
  private readonly random: Random;
  private readonly catalog: Catalog;
  private readonly people: readonly Person[];
  private readonly import = new ShopOutbox(largestBatch, false);
  private active: Activity[] = [];
  private visits = 0;
  private campaigns = 0;
  private isClosed = false;
  private openedAt = 0;

  constructor(private readonly options: ShopOptions) {
    this.random = new Random(`${options.seed} shop`);
    this.catalog = makeCatalog(this.random);
    this.people = Array.from({ length: options.users }, (_, n) => makePerson(options.seed, n + 1));
  }

  /** Ends visits; queued messages are still sent. */
  close(): void {
    this.isClosed = true;
  }

  /** Yields the requests of each happening, often none. Ends when the shop is closed. */
  async *steps(): AsyncGenerator<Call[]> {
    for (const call of catalogCalls(this.catalog)) yield [call];
    for (const happening of this.customersOfBefore()) yield this.import.put(happening);
    yield this.import.flush();
    this.openedAt = performance.now();
    while (this.begin()) yield await this.step();
    for (const { outbox } of this.active) yield outbox.flush();
    yield this.import.flush();
  }

  /** Accounts and devices that the shop had before it used Sluice. */
  private *customersOfBefore(): Generator<Happening> {
    for (const person of this.people.filter(({ isCustomer }) => isCustomer)) {
      const clock = this.clock();
      yield identify(person, clock);
      if (this.random.chance(0.6)) yield register(person, clock, this.options.run);
    }
  }

  /** Starts visits up to the limit. Returns false when the shop is closed or nothing is left to do. */
  private begin(): boolean {
    const { openMs = Infinity } = this.options;
    if (this.isClosed || performance.now() - this.openedAt > openMs) return false;
    while (this.active.length < Math.min(visitsAtOnce, this.options.users) && this.visits < this.visitsInAll) {
      if (this.visits % visitsPerCampaign === 0) this.active.push(this.newCampaign());
      this.active.push(this.newVisit());
    }
    return this.active.length > 0;
  }

  private async step(): Promise<Call[]> {
    const activity = this.random.pick(this.active);
    const next = await activity.happenings.next();
    if (next.done !== true) return activity.outbox.put(next.value);
    this.active = this.active.filter((one) => one !== activity);
    return activity.outbox === this.import ? [] : activity.outbox.flush();
  }

  private newVisit(): Activity {
    const { random, options } = this;
    const { sourceIdentifier, run } = options;
    const visitId = `${run}-${++this.visits}`;
    const of = { person: random.pick(this.people), listings: this.catalog.listings, clock: this.clock() };
    return {
      happenings: visit({ ...of, sourceIdentifier, random, visitId }),
      outbox: options.history ? this.import : new ShopOutbox(random.whole(1, 12), true),
    };
  }

  private newCampaign(): Activity {
    const { random, options } = this;
    const people = this.people.filter(({ device }) => device.key !== undefined);
    const id = `campaign-${++this.campaigns}-${options.run}`;
    const of = { campaign: id, people, listings: this.catalog.listings, clock: () => this.clock() };
    const { sourceIdentifier, seal } = options;
    return {
      happenings: campaign({ ...of, sourceIdentifier, seal, random }),
      outbox: options.history ? this.import : new ShopOutbox(20, true),
    };
  }

  private clock(): Clock {
    const { history } = this.options;
    return history ? pastClock(this.random, history, this.visits / this.visitsInAll) : liveClock;
  }

  private get visitsInAll(): number {
    const { history, users } = this.options;
    return history ? Math.ceil(users * history.days * visitsPerUserAndDay) : Infinity;
  }
}
