import { Logger, type OnModuleDestroy } from '@nestjs/common';
import { errorCode, type Registry } from '@sluice/service';
import { type GatewayConfig } from '../config.js';
import { ProbeMetrics } from './probe-metrics.js';
import { CanarySeries } from './canary-series.js';
import { findOwnHost, type ProbeTarget, sendProbe } from './send-probe.js';

/** The parts of its gateway that the canary uses. */
export interface CanaryHome {
  readonly key: string;
  /** Whether no message waits on the disk of the gateway. */
  readonly isDrained: () => Promise<boolean>;
}

type CanaryConfig = Pick<GatewayConfig, 'CANARY_INTERVAL_MS' | 'GATEWAY_DATA_DIR' | 'GATEWAY_HOST' | 'GATEWAY_PORT'>;

/** Sends numbered messages through the gateway's own public door, one at a time: docs/decisions/0114-canary.md. */
export class Canary implements OnModuleDestroy {
  private readonly logger = new Logger(Canary.name);
  private readonly metrics: ProbeMetrics;
  private readonly target: ProbeTarget;
  private series: CanarySeries | undefined;
  private timer: NodeJS.Timeout | undefined;
  private probing: Promise<void> | undefined;
  private isFailing = false;

  constructor(
    private readonly config: CanaryConfig,
    private readonly home: CanaryHome,
    registry: Registry,
  ) {
    this.metrics = new ProbeMetrics(registry);
    this.target = { host: findOwnHost(config.GATEWAY_HOST), port: config.GATEWAY_PORT, key: home.key };
  }

  /** Called when the gateway listens. */
  start(): void {
    const { CANARY_INTERVAL_MS } = this.config;
    if (CANARY_INTERVAL_MS === 0) return;
    const probe = (): void => {
      this.probing ??= this.probe().finally(() => (this.probing = undefined));
    };
    this.timer = setInterval(probe, CANARY_INTERVAL_MS).unref();
  }

  /** Ends after the answer of the last probe: the gateway still answers. */
  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    await this.probing;
    // A number that is not saved counts as in doubt at the next start.
    await this.series?.save().catch(() => undefined);
    this.series?.close();
    this.series = undefined;
  }

  /** Sends one probe. Without a disk that keeps its number, none is sent. */
  private async probe(): Promise<void> {
    try {
      this.series ??= await CanarySeries.open(this.config.GATEWAY_DATA_DIR);
      const properties = await this.series.next(await this.home.isDrained());
      const outcome = await sendProbe(this.target, properties);
      this.series.settle(outcome);
      this.metrics.count(outcome);
      this.isFailing = false;
    } catch (error) {
      if (!this.isFailing) this.logger.warn({ msg: 'the canary sends no probes for now', code: errorCode(error) });
      this.isFailing = true;
    }
  }
}
