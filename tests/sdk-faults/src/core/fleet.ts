import { type Around } from '../run/platform.js';
import { CoreDevice } from './device.js';
import { ScaledClock } from './scaled-clock.js';
import { type Surroundings } from './surroundings.js';

/** All simulated devices. */
export class TabFleet implements Surroundings {
  readonly clock: ScaledClock;
  private readonly devices: CoreDevice[];

  /** @param speed factor by which the clients' time passes faster */
  constructor(
    private readonly around: Around,
    speed: number,
  ) {
    this.clock = new ScaledClock(speed);
    this.devices = Array.from({ length: around.options.devices }, () => new CoreDevice(this));
  }

  get host(): string {
    return this.around.proxy.url;
  }

  get credentials(): Around['stack']['source'] {
    return this.around.stack.source;
  }

  get mutant(): string | undefined {
    return this.around.options.mutant;
  }

  get random(): () => number {
    return this.around.random;
  }

  get fault(): (name: string) => void {
    return this.around.fault;
  }

  newId(purpose: string): string {
    return `${this.around.run}-${purpose}-${Math.floor(this.random() * 2 ** 48).toString(36)}`;
  }

  reported(code: string, count: number): void {
    this.around.books.lossReported(code, count);
  }

  ended(stream: string, takenCount: number, unkept: ReadonlySet<number>): void {
    for (let number = 0; number < takenCount; number++) {
      this.around.books.took(0, stream, [number], Date.now(), unkept.has(number) ? 'memory' : 'none');
    }
  }

  async live(isOver: () => boolean): Promise<void> {
    await Promise.all(this.devices.map((device) => device.live(isOver)));
  }

  calmDown(): void {
    for (const device of this.devices) device.calmDown();
  }

  /** Sends what waits. Returns the number of devices that still have something. */
  drain(): number {
    return this.devices.filter((device) => !device.drain()).length;
  }
}
