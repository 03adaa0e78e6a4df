import { setTimeout as sleep } from 'node:timers/promises';
import { Balances, countLost, type StreamBalance } from './balance.js';
import { type Window } from './deck.js';
import { type FaultClass, type Resource, sparedBy } from './fault-class.js';
import { Pauses } from './pauses.js';
import { Random } from '@sluice/testing';
import { type AlertResult, type Stage } from './stage.js';

/** Maximal number of simultaneous faults. */
const atOnce = 3;
const gapMs = 400;
const progressEach = 25;
/** Time after which a fault counts as hung. */
const faultMs = 300_000;

/** A finished fault. */
interface Done {
  readonly faultClass: FaultClass;
  readonly from: number;
  readonly to: number;
  readonly error?: unknown;
}

export interface WindowResult {
  readonly window: Window;
  readonly done: readonly Done[];
  readonly balances: readonly StreamBalance[];
  readonly missingLetters: readonly string[];
  readonly alerts: readonly AlertResult[];
  /** Longest pause of a spared stream for each class, in milliseconds. */
  readonly pauses: ReadonlyMap<FaultClass, number>;
}

/** True if all losses are reported, nothing is doubled, no fault failed, and every expected alert fired. */
export const isGoodWindow = ({ balances, missingLetters, done, alerts }: WindowResult): boolean =>
  balances.every((balance) => countLost(balance) === 0 && balance.doubled === 0) &&
  missingLetters.length === 0 &&
  done.every(({ error }) => error === undefined) &&
  alerts.every(({ hasFired }) => hasFired);

/** Runs windows of faults and counts messages after each. */
export class FaultRun {
  readonly results: WindowResult[] = [];
  private readonly balances: Balances;
  private drawn = 0;
  private begunCount = 0;
  private readonly startedAt = Date.now();

  constructor(
    private readonly stage: Stage,
    private readonly seed: number,
  ) {
    this.balances = new Balances(stage);
  }

  async window(window: Window): Promise<WindowResult> {
    const { load } = this.stage;
    const destroys = window.scope === 'stored bytes';
    const startedAt = Date.now();
    if (!destroys) load.resume();
    const letters = this.stage.letters.sent;
    const done = await this.injectFaults(window.classes);
    await sleep(1_000);
    const endedAt = Date.now();
    await load.pause();
    const balances = await this.balances.settle();
    const missingLetters = this.stage.letters.sent === letters ? [] : await this.stage.letters.missing();
    const pauses = await this.measurePauses(window, done, startedAt, endedAt);
    const result = { window, done, balances, missingLetters, alerts: this.stage.takeAlerts(), pauses };
    this.results.push(result);
    this.say(result);
    return result;
  }

  /**
   * Runs faults in the order drawn. Faults with different resources overlap; a fault whose resource is taken waits and
   * lets later ones pass.
   */
  private async injectFaults(classes: readonly FaultClass[]): Promise<Done[]> {
    const done: Done[] = [];
    const underWay = new Set<Promise<void>>();
    const takenResources = new Set<Resource>();
    const waiting = classes.map((faultClass) => ({
      faultClass,
      random: new Random(this.seed * 100_003 + this.drawn++),
    }));
    while (waiting.length > 0) {
      const isFree = ({ faultClass }: { faultClass: FaultClass }) =>
        !faultClass.takes.some((resource) => takenResources.has(resource));
      const index = underWay.size < atOnce ? waiting.findIndex(isFree) : -1;
      const [next] = index < 0 ? [] : waiting.splice(index, 1);
      if (!next) {
        await Promise.race(underWay);
        continue;
      }
      const { faultClass, random } = next;
      this.begunCount += 1;
      if (this.begunCount % progressEach === 0) this.progress();
      for (const resource of faultClass.takes) takenResources.add(resource);
      const doing = this.fault(faultClass, random).then((result) => {
        done.push(result);
        for (const resource of faultClass.takes) takenResources.delete(resource);
        underWay.delete(doing);
      });
      underWay.add(doing);
      await sleep(random.between(0, 2 * gapMs));
    }
    await Promise.all(underWay);
    return done;
  }

  private async fault(faultClass: FaultClass, random: Random): Promise<Done> {
    const from = Date.now();
    try {
      const hung = sleep(faultMs, undefined, { ref: false }).then(() => {
        throw new Error(`${faultClass.name} did not end within ${faultMs / 1_000} s`);
      });
      await Promise.race([faultClass.inject(this.stage, random), hung]);
      return { faultClass, from, to: Date.now() };
    } catch (error) {
      console.log(`${faultClass.name} failed: ${String(error)}`);
      return { faultClass, from, to: Date.now(), error };
    }
  }

  private async measurePauses(window: Window, done: readonly Done[], from: number, to: number) {
    const spared = sparedBy[window.scope];
    const longest = new Map<FaultClass, number>();
    if (spared.length === 0) return longest;
    const pauses = await Pauses.measure(this.stage, spared, from, to);
    for (const doneFault of done) {
      longest.set(
        doneFault.faultClass,
        Math.max(longest.get(doneFault.faultClass) ?? 0, pauses.longest(doneFault.from, doneFault.to)),
      );
    }
    return longest;
  }

  private progress(): void {
    console.log(`${this.begunCount} faults, ${Math.round((Date.now() - this.startedAt) / 1_000)} s`);
  }

  private say({ window, done, balances, missingLetters, alerts }: WindowResult): void {
    const figures = balances.map((balance) => {
      const reported = balance.reported > 0 ? `, ${balance.reported} reported as destroyed` : '';
      const extra =
        balance.unseen > 0 ? `${reported}, ${balance.unseen} of a deleted topic that no consumer had seen` : reported;
      const { stream, acknowledged, stored, doubled } = balance;
      return `${stream.name} ${stored} of ${acknowledged} (lost ${countLost(balance)}, doubled ${doubled}${extra})`;
    });
    const letters = missingLetters.length > 0 ? `; ${missingLetters.length} dead letters missing` : '';
    const missed = alerts
      .filter(({ hasFired }) => !hasFired)
      .map(({ alert, when }) => `; ${alert} did not fire ${when}`);
    const subject = window.classes.length === 1 ? window.classes.map(({ name }) => name).join() : window.scope;
    const seconds = Math.round((Date.now() - this.startedAt) / 1_000);
    console.log(
      `window ${this.results.length} at ${seconds} s: ${subject}, ${done.length} faults: ${figures.join('; ')}${letters}${missed.join('')}`,
    );
  }

  whole(): Promise<StreamBalance[]> {
    return this.balances.whole();
  }
}
