import { join } from 'node:path';
import { type ConsumerApp, type ConsumerOptions } from '../consumer-process.js';
import { EventsLedger } from '../events-ledger.js';
import { ResetProxy } from '../reset-proxy.js';
import { FaultServers } from '../servers.js';
import { AlertWatch } from './alert-watch.js';
import { CanaryLedger } from './canary-ledger.js';
import { ClusterSettings } from './cluster-settings.js';
import { Instances } from './instances.js';
import { ExpectedLetters } from './letters.js';
import { Mounts } from './mounts.js';
import { StreamLoad } from '../../load/stream-load.js';
import { type Stream, type StreamName, streams } from './stream.js';

/** Another built checkout whose services are tested instead of this one's. */
const otherCheckout = process.env['FAULTS_CHECKOUT'];
/** Milliseconds between two probes of a gateway that runs during the faults; 0 without one. */
const canaryMs = Number(process.env['FAULTS_CANARY_MS'] ?? 0);
const trackingInstances = 2;
/** Sizes of the disks that faults fill; they use memory only for their content. */
const kafkaDiskMb = 3_072;
const clickhouseDiskMb = 6_144;
const diskOfBroker = 2;

/** An alert that had to fire before or after acknowledged bytes were destroyed. */
export interface AlertResult {
  readonly alert: string;
  readonly when: 'before' | 'after';
  readonly hasFired: boolean;
}

/** Everything that faults affect: three brokers, ClickHouse behind two proxies, the services, and the load. */
export class Stage {
  /** Permanently destroyed messages that the service reported. */
  readonly reportedMissing = new Map<StreamName, number>();
  /** Number of the first message after a topic was deleted, by stream: earlier ones may be missing unreported. */
  readonly deletedBefore = new Map<StreamName, number>();

  private readonly alerts: AlertResult[] = [];

  private constructor(
    readonly servers: FaultServers,
    readonly mounts: Mounts,
    readonly trackingProxy: ResetProxy,
    readonly otherProxy: ResetProxy,
    readonly tracking: Instances,
    readonly catalog: Instances,
    readonly push: Instances,
    readonly cluster: ClusterSettings,
    readonly ledger: EventsLedger,
    readonly letters: ExpectedLetters,
    readonly load: StreamLoad<Stream>,
    /** Runs if FAULTS_CANARY_MS is set. */
    readonly canary: CanaryLedger | undefined,
  ) {}

  static async start(): Promise<Stage> {
    const mounts = new Mounts();
    const servers = await FaultServers.start(async (folder) => {
      await mounts.mount(kafkaDisk(folder), kafkaDiskMb);
      await mounts.mount(clickhouseDisk(folder), clickhouseDiskMb);
    });
    const { brokers, folder, clickhousePort } = servers;
    const ledger = new EventsLedger(`http://127.0.0.1:${clickhousePort}`, 'default');
    await ledger.prepare(['events', 'identifies']);
    const [trackingProxy, otherProxy] = [
      await ResetProxy.start(clickhousePort),
      await ResetProxy.start(clickhousePort),
    ];
    const makeInstances = (app: ConsumerApp, { url }: ResetProxy) => {
      const options: ConsumerOptions = {
        brokers,
        folder,
        clickhouseUrl: url,
        database: 'default',
        replicationFactor: 3,
        ...(canaryMs > 0 && { settings: { CANARY_SETTLED_MS: '10000' } }),
        ...(otherCheckout !== undefined && { checkout: otherCheckout }),
      };
      return new Instances(app, options);
    };
    const cluster = new ClusterSettings(brokers);
    const stage = new Stage(
      servers,
      mounts,
      trackingProxy,
      otherProxy,
      makeInstances('tracking', trackingProxy),
      makeInstances('catalog', otherProxy),
      makeInstances('push-interaction', otherProxy),
      cluster,
      ledger,
      new ExpectedLetters(cluster.kafka),
      new StreamLoad(brokers, streams),
      canaryMs > 0 ? await CanaryLedger.start(servers, canaryMs) : undefined,
    );
    for (let n = 0; n < trackingInstances; n++) await stage.tracking.add();
    await Promise.all([stage.catalog.add(), stage.push.add()]);
    await stage.load.start();
    return stage;
  }

  /** Services that ended without a fault ending them. */
  get deaths(): string[] {
    return [this.tracking, this.catalog, this.push].flatMap(({ deaths }) => deaths);
  }

  get proxies(): readonly ResetProxy[] {
    return [this.trackingProxy, this.otherProxy];
  }

  get kafkaDisk() {
    return { folder: kafkaDisk(this.servers.folder), size: `${kafkaDiskMb}m`, broker: diskOfBroker };
  }

  get clickhouseDisk() {
    return { folder: clickhouseDisk(this.servers.folder), size: `${clickhouseDiskMb}m` };
  }

  reportMissing({ name }: Stream, count: number): void {
    this.reportedMissing.set(name, (this.reportedMissing.get(name) ?? 0) + count);
  }

  /** Records that the topic of a stream is deleted now, with messages that no consumer has seen. */
  topicDeleted(stream: Stream): void {
    this.deletedBefore.set(stream.name, this.load.sentCount(stream));
  }

  /** Watches the alerts, none of which fires yet; undefined without promtool. @throws if one keeps firing. */
  watchAlerts(...names: readonly string[]): Promise<AlertWatch | undefined> {
    if (!AlertWatch.isAble()) return Promise.resolve(undefined);
    const services = [this.tracking, this.catalog, this.push];
    return AlertWatch.atRest(() => services.flatMap(({ targets }) => targets), names);
  }

  /** Waits for the alert, at most two minutes, and records whether it fired. */
  async expectAlert(watch: AlertWatch | undefined, when: AlertResult['when'], alert: string, labels: string) {
    if (watch) this.alerts.push({ alert, when, hasFired: await watch.untilFiring(alert, labels) });
  }

  /** The alerts expected since the last call. */
  takeAlerts(): AlertResult[] {
    return this.alerts.splice(0);
  }

  /** Stops everything that was started. With `keepsLogs` the folder of the servers stays. */
  async stop(keepsLogs = false): Promise<void> {
    await this.load.abort().catch(() => undefined);
    await this.canary?.stop();
    await Promise.all([this.tracking, this.catalog, this.push].map((instances) => instances.stopAll(5_000)));
    await Promise.all(this.proxies.map((proxy) => proxy.stop()));
    await this.ledger.close();
    await this.servers.stop(() => this.mounts.unmountAll(), keepsLogs);
  }
}

const kafkaDisk = (folder: string): string => join(folder, 'kafka', `broker-${diskOfBroker + 1}`);
const clickhouseDisk = (folder: string): string => join(folder, 'clickhouse', 'data');
