import { setTimeout as sleep } from 'node:timers/promises';
import { MemoryQueue } from '@sluice/sdk-contract';
import { type SharedByTabs, type Surroundings } from './surroundings.js';
import { Tab } from './tab.js';

const maxTabs = 8;
const dayMs = 86_400_000;

/** A device whose tabs share a store; they come, hide and are killed, the store fills, the clock is set. */
export class CoreDevice implements SharedByTabs {
  readonly queue = new MemoryQueue();
  readonly values = new Map<string, string>();
  skewMs = 0;
  private tabs: Tab[] = [];

  constructor(readonly fleet: Surroundings) {
    this.open();
  }

  async live(isOver: () => boolean): Promise<void> {
    const { random } = this.fleet;
    while (!isOver()) {
      await this.step();
      await sleep(random() * 200);
    }
  }

  /** Kills all tabs, and opens one that meets no more faults. */
  calmDown(): void {
    this.queue.isFull = false;
    for (const tab of this.tabs) this.kill(tab);
    this.open();
  }

  drain(): boolean {
    if (this.queue.batches.size === 0) return true;
    this.tabs[0]?.flush();
    return false;
  }

  private async step(): Promise<void> {
    const { random, fault } = this.fleet;
    if (random() < 0.2) this.queue.isFull = false;
    const roll = random() * 100;
    const tab = this.tabs[Math.floor(random() * this.tabs.length)] ?? this.open();
    if (roll < 65) for (let i = random() * 6; i > 0; i--) tab.track();
    else if (roll < 70) tab.identify(`u-${Math.floor(random() * 1_000)}`);
    else if (roll < 76) tab.signal(random() < 0.5 ? 'hide' : 'show');
    else if (roll < 79) tab.flush();
    else if (roll < 82) tab.signal('online');
    else if (roll < 90) {
      fault('tab killed');
      this.kill(tab);
    } else if (roll < 95) {
      if (this.tabs.length < maxTabs) this.open();
    } else if (roll < 95.5) {
      fault('eight tabs at once');
      while (this.tabs.length < maxTabs) this.open();
    } else if (roll < 96) {
      fault('reload storm');
      await this.reloadAgainAndAgain();
    } else if (roll < 97) {
      fault('all tabs killed at once');
      for (const tab of this.tabs) this.kill(tab);
    } else if (roll < 99) {
      fault('storage full');
      this.queue.isFull = true;
    } else {
      fault('clock set by up to a day');
      this.skewMs = (random() - 0.5) * 2 * dayMs;
    }
  }

  /** A page is reloaded ten times while it tracks, up to a second of its time after it was opened. */
  private async reloadAgainAndAgain(): Promise<void> {
    for (let page = 0; page < 10; page++) {
      const tab = this.open();
      tab.track();
      await sleep(this.fleet.random() * 17);
      tab.signal('hide');
      this.kill(tab);
    }
  }

  private open(): Tab {
    // One of the tabs sends, as a lock elects one; now and then two do.
    const tab: Tab = new Tab(this, () => this.tabs[0] === tab || this.fleet.random() < 0.1);
    this.tabs.push(tab);
    return tab;
  }

  private kill(tab: Tab): void {
    this.tabs = this.tabs.filter((candidate) => candidate !== tab);
    this.fleet.ended(tab.stream, tab.takenCount, tab.kill());
    this.tabs[0]?.signal('wake');
  }
}
