import { type ServerResponse } from 'node:http';
import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { type NowEvents } from '@sluice/console-api';
import { errorCode } from '@sluice/service';
import { Payloads } from '../payload/payloads.js';
import { ServerWatch } from '../servers/servers.js';
import { type CurrentUser } from '../session/current-user.js';
import { Sessions } from '../session/sessions.js';
import { shownReport } from './shown-report.js';
import { StatusCache } from './status-cache.js';

const lookMs = 500;
const reportMs = 4_000;
const maxMinutes = 30;
const maxStreams = 1_000;
const maxPerUser = 50;
/** A tab that reads nothing for so long is closed. */
const stuckMs = 30_000;

/** One open tab. */
interface Tab {
  readonly user: CurrentUser;
  readonly answer: ServerResponse;
  readonly endsAt: number;
  stuckSince: number | undefined;
}

/** Sends every open tab which servers are unreachable, at once, and the report of the status, which is read once for all. */
@Injectable()
export class NowStreams implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(NowStreams.name);
  private readonly tabs = new Set<Tab>();
  private readonly timers: NodeJS.Timeout[] = [];
  private isReading = false;

  constructor(
    private readonly sessions: Sessions,
    private readonly watch: ServerWatch,
    private readonly status: StatusCache,
    private readonly payloads: Payloads,
  ) {}

  onModuleInit(): void {
    this.timers.push(setInterval(() => this.look(), lookMs).unref());
    this.timers.push(setInterval(() => this.sayWord(), reportMs).unref());
    this.timers.push(setInterval(() => void this.report(), reportMs).unref());
    this.watch.onChange((servers) => {
      // The new verdicts come before the servers, so that no tab shows the new banner above old verdicts.
      this.publish(shownReport(this.status.current(), this.payloads));
      for (const tab of this.tabs) send(tab, 'servers', servers);
      void this.report();
    });
  }

  onApplicationShutdown(): void {
    for (const timer of this.timers) clearInterval(timer);
    for (const tab of this.tabs) this.end(tab, 'limit');
  }

  hasRoomFor({ id }: CurrentUser): boolean {
    return this.tabs.size < maxStreams && [...this.tabs].filter(({ user }) => user.id === id).length < maxPerUser;
  }

  /** Sends events until the tab is closed. The headers of the answer must have been sent. */
  async add(user: CurrentUser, answer: ServerResponse): Promise<void> {
    const tab: Tab = { user, answer, endsAt: Date.now() + maxMinutes * 60_000, stuckSince: undefined };
    this.tabs.add(tab);
    answer.on('close', () => this.tabs.delete(tab));
    answer.on('error', () => this.tabs.delete(tab));
    answer.write('retry: 1000\n\n');
    await this.watch.untilKnown();
    send(tab, 'servers', this.watch.current);
    const report = await this.readReport();
    if (report) send(tab, 'status', report);
  }

  private look(): void {
    const now = Date.now();
    for (const tab of this.tabs) {
      tab.stuckSince = tab.answer.writableLength === 0 ? undefined : (tab.stuckSince ?? now);
      if (!this.sessions.isStillValid(tab.user)) this.end(tab, 'signed-out');
      else if (!this.sessions.hasSameRights(tab.user)) this.end(tab, 'rights');
      else if (now > tab.endsAt) this.end(tab, 'limit');
      else if (tab.stuckSince !== undefined && now - tab.stuckSince > stuckMs) tab.answer.destroy();
    }
  }

  /** Says the servers again to every tab, also while the status takes long: silence means that the console is down. */
  private sayWord(): void {
    for (const tab of this.tabs) if (tab.answer.writableLength === 0) send(tab, 'servers', this.watch.current);
  }

  private async report(): Promise<void> {
    if (this.tabs.size === 0 || this.isReading) return;
    this.isReading = true;
    const report = await this.readReport();
    this.isReading = false;
    if (report) this.publish(report);
  }

  /** Leaves out a tab that has not read the last report yet; it gets the next one. */
  private publish(report: NowEvents['status']): void {
    for (const tab of this.tabs) if (tab.answer.writableLength === 0) send(tab, 'status', report);
  }

  private async readReport(): Promise<NowEvents['status'] | undefined> {
    try {
      return shownReport(await this.status.report(), this.payloads);
    } catch (error) {
      this.logger.error({ msg: 'the status could not be read', error: errorCode(error) });
      return undefined;
    }
  }

  private end(tab: Tab, reason: NowEvents['end']['reason']): void {
    this.tabs.delete(tab);
    send(tab, 'end', { reason });
    tab.answer.end();
  }
}

function send<E extends keyof NowEvents>({ answer }: Tab, event: E, data: NowEvents[E]): void {
  if (!answer.destroyed) answer.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}
