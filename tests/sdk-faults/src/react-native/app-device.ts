import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Around as AroundRun } from '../run/platform.js';
import { type AppCommand, type AppLife } from './life.js';

/** A busy machine starts an app more slowly. */
const maxStartMs = 10_000;
/** Slower at the end: a busy machine may take more than a second for an answer, which would be a fault. */
const calmSpeed = 3;

const program = fileURLToPath(new URL('./app.js', import.meta.url));

export interface AppAround extends Pick<AroundRun, 'books' | 'random' | 'fault'> {
  readonly life: Omit<AppLife, 'folder' | 'isAsync' | 'tab' | 'seed'>;
}

interface App {
  readonly process: ChildProcess;
  /** Number of waiting messages that it last reported. */
  left: number | undefined;
  readonly ended: Promise<unknown>;
  /** Resolves when it tracks. */
  readonly ready: Promise<unknown>;
}

/** A phone: a folder that stays, and the app as a process that is killed and started again. */
export class AppDevice {
  private apps = 0;
  private app: App;

  private constructor(
    private readonly around: AppAround,
    private readonly index: number,
    private readonly folder: string,
  ) {
    this.app = this.launch();
  }

  static async start(around: AppAround, index: number): Promise<AppDevice> {
    return new AppDevice(around, index, await mkdtemp(join(tmpdir(), 'sluice-phone-')));
  }

  async live(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await this.step();
      await sleep(this.around.random() * 400);
    }
  }

  /** Restarts the app without faults, so that it sends what it has. */
  async calmDown(): Promise<void> {
    await this.kill();
    this.app = this.launch(calmSpeed);
    this.say('calm');
  }

  isEmpty(): boolean {
    return this.app.left === 0;
  }

  leftInWords(): string {
    const { left: remaining } = this.app;
    return `left: phone ${this.index}, ${remaining === undefined ? 'which has not said how many messages' : `${remaining} messages or batches`}`;
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }

  private async step(): Promise<void> {
    const { random, fault } = this.around;
    const roll = random() * 100;
    if (roll < 35) {
      await Promise.race([this.app.ready, sleep(maxStartMs)]);
      await sleep(random() * 800);
      fault('app killed');
      await this.again();
    } else if (roll < 38) {
      fault('app killed ten times at its start');
      for (let start = 0; start < 10; start++) {
        await sleep(random() * 250);
        await this.again();
      }
    } else if (roll < 45) {
      fault('storage full');
      this.say('full');
      await sleep(random() * 1_000);
      // Sometimes killed while messages are only in memory.
      if (random() < 0.3) await this.again();
      else this.say('works');
    } else if (roll < 70) this.say(random() < 0.5 ? 'background' : 'active');
    else if (roll < 75) this.say('online');
  }

  private async again(): Promise<void> {
    await this.kill();
    this.app = this.launch();
  }

  private async kill(): Promise<void> {
    this.app.process.kill('SIGKILL');
    await this.app.ended;
  }

  private say(command: AppCommand): void {
    this.app.process.stdin?.write(`${command}\n`, () => undefined);
  }

  private launch(speed = this.around.life.speed): App {
    const { life, random } = this.around;
    const tab = `${this.index}-${++this.apps}`;
    const appLife: AppLife = {
      ...life,
      speed,
      folder: this.folder,
      isAsync: this.index % 2 === 1,
      tab,
      seed: Math.floor(random() * 1e9) + 1,
    };
    const process_ = spawn(process.execPath, [program, JSON.stringify(appLife)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    // A killed process does not read its commands.
    process_.stdin.on('error', () => undefined);
    const lines = createInterface(process_.stdout);
    let isReady: () => void = () => undefined;
    const ready = new Promise<void>((resolve) => {
      isReady = resolve;
    });
    const app: App = {
      process: process_,
      left: undefined,
      ready,
      ended: Promise.all([once(process_, 'exit'), once(lines, 'close')]),
    };
    lines.on('line', (line) => {
      isReady();
      this.heard(app, tab, line);
    });
    return app;
  }

  private heard(app: App, tab: string, line: string): void {
    const { books } = this.around;
    const [kind, ...rest] = line.split(' ');
    if (kind === 'T' || kind === 'R')
      books.took(this.index, tab, rest.filter(Boolean).map(Number), Date.now(), kind === 'R' ? 'full' : 'none');
    else if (kind === 'E') books.lossReported(rest[0] ?? '', Number(rest[1]));
    else if (kind === 'L') app.left = Number(rest[0]);
  }
}
