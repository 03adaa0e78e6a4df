import { setTimeout as sleep } from 'node:timers/promises';
import { Option, SubCommand } from 'nest-commander';
import { OperationError, processName, type Sample, scrapeProcesses, sumOf } from '@sluice/operations';
import { metricsUrlVariables } from '../config.js';
import { Connection } from '../connection/connection.js';
import { Output, type OutputOptions, PrintingCommand } from '../output.js';
import { gatewayAddress, listed } from '../status/metrics-urls.js';

const lookEveryMs = 1_000;
const usualTimeoutSeconds = 300;

interface WaitOptions extends OutputOptions {
  gateway?: string[];
  timeout?: number;
}

/** What a gateway keeps on its disk; `unreachable` is the reason when it does not answer. */
interface Spool {
  readonly url: string;
  readonly name: string;
  readonly unreachable: string | null;
  /** Messages that wait for Kafka. */
  readonly messages: number;
  /** Messages that someone must look at: Kafka refused them, or the disk damaged them. */
  readonly forPeople: number;
}

@SubCommand({
  name: 'wait-for-spools',
  description: 'Wait until gateways have sent what their disks keep, before one of them is removed',
})
export class WaitForSpoolsCommand extends PrintingCommand {
  constructor(
    private readonly connection: Connection,
    private readonly output: Output,
  ) {
    super();
  }

  async run(_: string[], { gateway, timeout = usualTimeoutSeconds, ...options }: WaitOptions): Promise<void> {
    const urls = gateway ?? listed(this.connection.read(variables).GATEWAY_METRICS_URLS);
    if (urls.length === 0) throw new OperationError('name the gateways: --gateway <urls...>, or GATEWAY_METRICS_URLS');
    const endAt = performance.now() + timeout * 1_000;
    for (;;) {
      const spools = (await scrapeProcesses(urls)).map(spoolOf);
      if (spools.every(isEmpty)) {
        this.output.print(
          spools,
          options,
          () => `No message waits on the disk of ${spools.map(({ name }) => name).join(', ')}.`,
        );
        return;
      }
      if (performance.now() > endAt)
        throw new OperationError(
          spools
            .filter((one) => !isEmpty(one))
            .map(describe)
            .join('; '),
        );
      await sleep(lookEveryMs);
    }
  }

  @Option({ flags: '--gateway <urls...>', description: 'Addresses of the /metrics of the gateways to be removed' })
  parseGateway(url: string, others: string[] = []): string[] {
    return [...others, gatewayAddress(url)];
  }

  @Option({ flags: '--timeout <seconds>', description: `Time to wait; ${usualTimeoutSeconds} by default` })
  parseTimeout(text: string): number {
    const seconds = Number(text);
    if (seconds >= 0 && text.trim() !== '') return seconds;
    throw new OperationError(`--timeout must be a number of seconds; it is '${text}'`);
  }
}

const variables = { GATEWAY_METRICS_URLS: metricsUrlVariables.GATEWAY_METRICS_URLS };

interface SpoolAnswer {
  url: string;
  unreachable: string | null;
  samples: readonly Sample[];
}

function spoolOf({ url, unreachable, samples }: SpoolAnswer): Spool {
  const isGateway = samples.some(({ name }) => name === 'sluice_spool_messages');
  return {
    url,
    name: processName(url, samples, 'gateway'),
    unreachable: unreachable ?? (isGateway ? null : 'it is not the /metrics of a gateway'),
    messages: sumOf(samples, 'sluice_spool_messages'),
    forPeople: sumOf(samples, 'sluice_spool_refused_messages') + sumOf(samples, 'sluice_spool_damaged_messages'),
  };
}

const isEmpty = ({ unreachable, messages, forPeople }: Spool): boolean =>
  unreachable === null && messages + forPeople === 0;

function describe({ url, name, unreachable, messages, forPeople }: Spool): string {
  const who = `${name} (${url})`;
  if (unreachable !== null) return `${who} does not answer: ${unreachable}`;
  return messages > 0
    ? `${who} has ${messages} messages that wait for Kafka`
    : `${who} has ${forPeople} refused or damaged messages in its folder; keep them first`;
}
