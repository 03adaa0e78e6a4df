import { randomUUID } from 'node:crypto';
import { seeded } from '@sluice/sdk-contract';
import { Device } from './device.js';
import { type Mutant } from './page-transport.js';
import { ScaledClock } from './scaled-clock.js';

export interface FleetOptions {
  readonly host: string;
  readonly credentials: { readonly sourceIdentifier: string; readonly apiKey: string };
  readonly devices: number;
  readonly seed: number;
  /** Factor by which the clients' time passes faster. */
  readonly speed: number;
  readonly mutant: Mutant | undefined;
  readonly count: (fault: string) => void;
}

/** Messages that one stream took: the numbers from 0 to below `taken`. */
export interface TakenStream {
  taken: number;
  /** Numbers that were in the memory of a killed client only: nobody can promise them. */
  atRisk: ReadonlySet<number>;
}

/** All simulated devices, and the books of what they took. */
export class Fleet {
  readonly streams = new Map<string, TakenStream>();
  readonly reports = new Map<string, number>();
  readonly random: () => number;
  readonly clock: ScaledClock;
  private readonly name = randomUUID().slice(0, 8);
  private readonly devices: Device[];

  constructor(private readonly options: FleetOptions) {
    this.random = seeded(options.seed);
    this.clock = new ScaledClock(options.speed);
    this.devices = Array.from({ length: options.devices }, () => new Device(this));
  }

  get host(): string {
    return this.options.host;
  }

  get credentials(): FleetOptions['credentials'] {
    return this.options.credentials;
  }

  get mutant(): Mutant | undefined {
    return this.options.mutant;
  }

  /** Devices of this run have names that begin alike. */
  get devicePrefix(): string {
    return `${this.name}-device-`;
  }

  get taken(): number {
    return [...this.streams.values()].reduce((sum, { taken }) => sum + taken, 0);
  }

  readonly fault = (name: string): void => this.options.count(name);

  newId(purpose: string): string {
    return `${this.name}-${purpose}-${Math.floor(this.random() * 2 ** 48).toString(36)}`;
  }

  reported(code: string, count: number): void {
    this.reports.set(code, (this.reports.get(code) ?? 0) + count);
  }

  ended(stream: string, taken: number, atRisk: readonly number[]): void {
    if (taken > 0) this.streams.set(stream, { taken, atRisk: new Set(atRisk) });
  }

  async live(isOver: () => boolean): Promise<void> {
    await Promise.all(this.devices.map((device) => device.live(isOver)));
  }

  calmDown(): void {
    for (const device of this.devices) device.calmDown();
  }

  /** Sends what waits. The number of devices that still have something. */
  drain(): number {
    return this.devices.filter((device) => !device.drain()).length;
  }
}
