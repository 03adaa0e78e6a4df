import { type PushToken } from '@sluice/push-tokens';
import { type ShopCall } from '../call.js';
import { SeededRandom } from '../random.js';
import { runCampaign } from './campaign.js';
import { type Catalog, listCatalogCalls, makeCatalog } from './catalog.js';
import { type VisitClock, type History, liveClock, pastClock } from './clock.js';
import { type Happening, identifyPerson } from './happening.js';
import { changeOffers } from './offer-changes.js';
import { ShopOutbox } from './outbox.js';
import { makePerson, type ShopPerson } from './person.js';
import { registerDevice, visit } from './visit.js';

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
const visitsPerOfferChange = 4;
/** Days before the first visit of a history from which the catalog is so. */
const catalogAgeDays = 7;
const dayMs = 86_400_000;
const largestBatch = 100;

/** A shop and its people. The same options make the same requests, except for tokens and for times of live events. */
export class DemoShop {
  private readonly random: SeededRandom;
  private readonly catalog: Catalog;
  private readonly people: readonly ShopPerson[];
  private readonly import = new ShopOutbox(largestBatch, false);
  private activities: Activity[] = [];
  private visits = 0;
  private campaigns = 0;
  private isClosed = false;
  private openedAt = 0;

  constructor(private readonly options: ShopOptions) {
    this.random = new SeededRandom(`${options.seed} shop`);
    this.catalog = makeCatalog(this.random);
    this.people = Array.from({ length: options.users }, (_, n) => makePerson(options.seed, n + 1));
  }

  /** Ends visits; queued messages are still sent. */
  close(): void {
    this.isClosed = true;
  }

  /** Yields the requests of each happening, often none. Ends when the shop is closed. */
  async *steps(): AsyncGenerator<ShopCall[]> {
    const { history } = this.options;
    const since = history && new Date(history.now - (history.days + catalogAgeDays) * dayMs).toISOString();
    for (const call of listCatalogCalls(this.catalog, since)) yield [call];
    for (const happening of this.listEarlierCustomers()) yield this.import.put(happening);
    yield this.import.flush();
    this.openedAt = performance.now();
    while (this.begin()) yield await this.step();
    for (const { outbox } of this.activities) yield outbox.flush();
    yield this.import.flush();
  }

  /** Accounts and devices that the shop had before it used Sluice. */
  private *listEarlierCustomers(): Generator<Happening> {
    for (const person of this.people.filter(({ isCustomer }) => isCustomer)) {
      const clock = this.clock();
      yield identifyPerson(person, clock);
      if (this.random.chance(0.6)) yield registerDevice(person, clock, this.options.run);
    }
  }

  /** Starts visits up to the limit. Returns false when the shop is closed or nothing is left to do. */
  private begin(): boolean {
    const { openMs = Infinity } = this.options;
    if (this.isClosed || performance.now() - this.openedAt > openMs) return false;
    while (this.activities.length < Math.min(visitsAtOnce, this.options.users) && this.visits < this.visitsInAll) {
      if (this.visits % visitsPerCampaign === 0) this.activities.push(this.startCampaign());
      if (this.visits % visitsPerOfferChange === 0) this.activities.push(this.startOfferChange());
      this.activities.push(this.startVisit());
    }
    return this.activities.length > 0;
  }

  private async step(): Promise<ShopCall[]> {
    const activity = this.random.pick(this.activities);
    const nextHappening = await activity.happenings.next();
    if (nextHappening.done !== true) return activity.outbox.put(nextHappening.value);
    this.activities = this.activities.filter((candidate) => candidate !== activity);
    return activity.outbox === this.import ? [] : activity.outbox.flush();
  }

  private startVisit(): Activity {
    const { random, options } = this;
    const { sourceIdentifier, run } = options;
    const visitId = `${run}-${++this.visits}`;
    const visitOptions = { person: random.pick(this.people), listings: this.catalog.listings, clock: this.clock() };
    return {
      happenings: visit({ ...visitOptions, sourceIdentifier, random, visitId }),
      outbox: options.history ? this.import : new ShopOutbox(random.wholeNumber(1, 12), true),
    };
  }

  private startOfferChange(): Activity {
    const { random, catalog, options } = this;
    const clock = options.history && this.clock();
    return { happenings: changeOffers({ listings: catalog.listings, random, clock }), outbox: this.import };
  }

  private startCampaign(): Activity {
    const { random, options } = this;
    const people = this.people.filter(({ device }) => device.key !== undefined);
    const id = `campaign-${++this.campaigns}-${options.run}`;
    const campaignOptions = { campaign: id, people, listings: this.catalog.listings, clock: () => this.clock() };
    const { sourceIdentifier, seal } = options;
    return {
      happenings: runCampaign({ ...campaignOptions, sourceIdentifier, seal, random }),
      outbox: options.history ? this.import : new ShopOutbox(20, true),
    };
  }

  private clock(): VisitClock {
    const { history } = this.options;
    return history ? pastClock(this.random, history, this.visits / this.visitsInAll) : liveClock;
  }

  private get visitsInAll(): number {
    const { history, users } = this.options;
    return history ? Math.ceil(users * history.days * visitsPerUserAndDay) : Infinity;
  }
}
