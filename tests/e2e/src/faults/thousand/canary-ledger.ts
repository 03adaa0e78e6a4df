import { setTimeout as sleep } from 'node:timers/promises';
import { type CanaryNumbers, makeSelectRows, readCanaryNumbers } from '@sluice/operations';
import { GatewayServer } from '../gateway-server.js';
import { type FaultServers } from '../servers.js';

const clickhouseUser = { CLICKHOUSE_USER: 'default', CLICKHOUSE_PASSWORD: '' };
const settledWithinMs = 180_000;

/** The gateway's own counts of probes: the ledger. */
type Answers = Record<'accepted' | 'refused' | 'in_doubt', number>;

export interface CanaryBalance {
  readonly sent: Answers;
  readonly judged: CanaryNumbers;
  /** Whether the judge says of each probe what the gateway counted, and none was lost or doubled. */
  readonly isEqual: boolean;
}

/** A gateway whose canary runs during all faults, and whose own counts are compared with what is judged. */
export class CanaryLedger {
  private constructor(
    private readonly gateway: GatewayServer,
    private readonly clickhouseUrl: string,
  ) {}

  static async start({ brokers, folder, clickhousePort }: FaultServers, intervalMs: number): Promise<CanaryLedger> {
    const settings = { CANARY_INTERVAL_MS: String(intervalMs), TOPIC_REPLICATION_FACTOR: '3' };
    const gateway = await GatewayServer.start(brokers, folder, settings);
    return new CanaryLedger(gateway, `http://127.0.0.1:${clickhousePort}`);
  }

  /** Waits until all probes that were sent by now are judged, without faults. */
  async balance(): Promise<CanaryBalance> {
    // One scrape: all probes up to their sum are settled, and the next ones are accepted.
    const sent = await this.readAnswers();
    const total = sent.accepted + sent.refused + sent.in_doubt;
    const deadline = Date.now() + settledWithinMs;
    const select = makeSelectRows({
      ...clickhouseUser,
      ...{ CLICKHOUSE_URL: this.clickhouseUrl, CLICKHOUSE_DATABASE: 'default' },
    });
    for (;;) {
      const judged = await readCanaryNumbers(select);
      const judgedUpTo = judged.probes + judged.refused + judged.inDoubt + judged.unjudged;
      if (judgedUpTo >= total || Date.now() > deadline) {
        const isEqual =
          judged.probes === sent.accepted + judgedUpTo - total &&
          judged.refused === sent.refused &&
          judged.inDoubt === sent.in_doubt &&
          judged.lost + judged.doubled + judged.late + judged.unjudged === 0;
        return { sent, judged, isEqual };
      }
      await sleep(500);
    }
  }

  stop(): Promise<void> {
    return this.gateway.stop();
  }

  private async readAnswers(): Promise<Answers> {
    const text = await (await fetch(`${this.gateway.managementUrl}/metrics`)).text();
    const read = (outcome: string): number =>
      Number(new RegExp(`^sluice_canary_probes_total\\{outcome="${outcome}"\\} (\\S+)$`, 'm').exec(text)?.[1] ?? NaN);
    return { accepted: read('accepted'), refused: read('refused'), in_doubt: read('in_doubt') };
  }
}
