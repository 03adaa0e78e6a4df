import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { type LiveEvents, type RefusedRequest } from '@sluice/console-api';
import { partitionForKey, refusedTopic } from '@sluice/contracts';
import { type Kafka, readCluster, type TapSlice, TopicTap } from '@sluice/kafka';
import { readAllConfirmed } from '@sluice/operations';
import { SourceReader } from '@sluice/sources';
import { Payloads } from '../payload/payloads.js';
import { shownRefusal } from '../refused/shown-refusal.js';
import { Watches } from '../refused/watches.js';
import { ServerWatch } from '../servers/servers.js';
import { Sessions } from '../session/sessions.js';
import { FrameRows } from './frame-rows.js';
import { type LiveFilter, LiveMessage } from './live-filter.js';
import { readRefused } from './read-refused.js';
import { type Viewer } from './viewer.js';

const frameMs = 250;
const confirmedMs = 1_000;
const commentMs = 15_000;
const maxMinutes = 30;
const maxViewers = 50;
const maxPerUser = 3;

interface Watching {
  readonly tap: TopicTap;
  readonly viewers: Set<Viewer>;
}

/** Fans out what the taps read. A tap exists while someone watches, so without viewers nothing is fetched. */
@Injectable()
export class Live implements OnModuleInit, OnApplicationShutdown {
  private readonly viewers = new Map<Viewer, { keys: readonly string[]; endsAt: number }>();
  private readonly taps = new Map<string, Watching>();
  /** Number of streams of each user, open or about to be. */
  private readonly places = new Map<string, number>();
  private readonly timers: NodeJS.Timeout[] = [];
  private isConfirming = false;

  constructor(
    private readonly kafka: Kafka,
    private readonly sessions: Sessions,
    private readonly watch: ServerWatch,
    readonly payloads: Payloads,
    private readonly watches: Watches,
    private readonly sources: SourceReader,
  ) {}

  onModuleInit(): void {
    this.every(frameMs, () => this.sendFrames());
    this.every(confirmedMs, () => void this.confirm());
    this.every(commentMs, () => {
      for (const viewer of this.viewers.keys()) {
        viewer.comment();
        this.watches.look(viewer.filter.source);
      }
    });
    this.watch.onChange((servers) => {
      for (const viewer of this.viewers.keys()) viewer.send('servers', servers);
    });
  }

  async onApplicationShutdown(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    for (const viewer of [...this.viewers.keys()]) this.remove(viewer, 'limit');
    await Promise.all([...this.taps.values()].map(({ tap }) => tap.stop()));
  }

  /**
   * Reserves a place before anything is awaited: requests at the same time see each other. @returns a function that gives
   * it back; undefined when there is no room.
   */
  reserve(user: string): (() => void) | undefined {
    const ofUser = this.places.get(user) ?? 0;
    const viewerCount = [...this.places.values()].reduce((sum, count) => sum + count, 0);
    if (viewerCount >= maxViewers || ofUser >= maxPerUser) return undefined;
    this.places.set(user, ofUser + 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const remaining = (this.places.get(user) ?? 1) - 1;
      if (remaining === 0) this.places.delete(user);
      else this.places.set(user, remaining);
    };
  }

  async add(viewer: Viewer): Promise<void> {
    const keys: string[] = [];
    this.viewers.set(viewer, { keys, endsAt: Date.now() + maxMinutes * 60_000 });
    viewer.send('servers', this.watch.current);
    this.watches.look(viewer.filter.source);
    for (const topic of viewer.filter.topics) {
      const partition = await this.findPartition(topic, viewer.filter);
      keys.push(this.tap(viewer, topic, partition));
    }
    keys.push(this.tap(viewer, refusedTopic.name, undefined));
    // The viewer may have left while the topics were read.
    if (!this.viewers.has(viewer)) this.release(viewer, keys);
  }

  remove(viewer: Viewer, reason?: LiveEvents['end']['reason']): void {
    const subscription = this.viewers.get(viewer);
    if (!subscription) return;
    this.viewers.delete(viewer);
    this.release(viewer, subscription.keys);
    if (reason) viewer.end(reason);
  }

  /** The one partition that has all messages of a user of a source, to be read whole; undefined without both. */
  private async findPartition(topic: string, { source, user }: LiveFilter): Promise<number | undefined> {
    if (source === undefined || user === undefined) return undefined;
    try {
      const { topics } = await readCluster(this.kafka, [topic]);
      const partitions = topics[0]?.partitions ?? 0;
      return partitions > 0 ? partitionForKey(Buffer.from(`${source}:${user}`), partitions) : undefined;
    } catch {
      return undefined;
    }
  }

  private tap(viewer: Viewer, topic: string, partition: number | undefined): string {
    const key = `${topic}:${partition ?? 'slices'}`;
    const openTap = this.taps.get(key);
    if (openTap) {
      openTap.viewers.add(viewer);
      return key;
    }
    const viewers = new Set([viewer]);
    const onSlice = (slice: TapSlice): void => this.fanOut(topic, slice, viewers);
    const tap = new TopicTap(this.kafka, { topics: [topic], onSlice, ...(partition !== undefined && { partition }) });
    this.taps.set(key, { tap, viewers });
    tap.start();
    return key;
  }

  private release(viewer: Viewer, keys: readonly string[]): void {
    for (const key of keys) {
      const watching = this.taps.get(key);
      watching?.viewers.delete(viewer);
      if (!watching || watching.viewers.size > 0) continue;
      this.taps.delete(key);
      void watching.tap.stop();
    }
  }

  private fanOut(topic: string, { messages, skipped }: TapSlice, viewers: ReadonlySet<Viewer>): void {
    const { registry } = this.sources;
    if (topic === refusedTopic.name) {
      const { masked } = this.payloads;
      const refused = messages
        .flatMap(({ value }) => readRefused(value))
        .map((refusal): RefusedRequest => shownRefusal(refusal, masked, registry));
      for (const viewer of viewers) for (const refusal of refused) viewer.takeRefused(refusal);
      return;
    }
    const live = messages.map((message) => new LiveMessage(message, registry));
    for (const viewer of viewers) viewer.take(live, skipped);
  }

  private sendFrames(): void {
    const now = Date.now();
    const rows = new FrameRows();
    for (const [viewer, { endsAt }] of [...this.viewers]) {
      if (!this.sessions.isStillValid(viewer.user)) this.remove(viewer, 'signed-out');
      else if (!this.sessions.hasSameRights(viewer.user)) this.remove(viewer, 'rights');
      else if (now > endsAt) this.remove(viewer, 'limit');
      else if (viewer.isStuck(now)) this.remove(viewer, 'slow');
      else viewer.sendFrame(rows);
    }
  }

  private async confirm(): Promise<void> {
    if (this.viewers.size === 0 || this.isConfirming || this.watch.current.kafka.isUnreachable) return;
    this.isConfirming = true;
    try {
      const confirmed = await readAllConfirmed(this.kafka);
      for (const viewer of this.viewers.keys()) {
        const viewedOffsets = [...confirmed].filter(([place]) =>
          viewer.filter.topics.includes(place.slice(0, place.lastIndexOf(':'))),
        );
        viewer.takeConfirmed(Object.fromEntries(viewedOffsets.map(([place, offset]) => [place, String(offset)])));
      }
    } catch {
      // Kafka is unreachable: the watch reports it.
    } finally {
      this.isConfirming = false;
    }
  }

  private every(ms: number, work: () => void): void {
    this.timers.push(setInterval(work, ms).unref());
  }
}
