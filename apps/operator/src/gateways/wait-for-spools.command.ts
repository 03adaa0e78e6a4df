import { setTimeout as sleep } from 'node:timers/promises';
import { Option, SubCommand } from 'nest-commander';
import { OperationError, nameProcess, type MetricSample, scrapeProcesses, sumSamples } from '@sluice/operations';
import { metricsUrlVariables } from '../config.js';
import { Connection } from '../connection/connection.js';
import { Output, type OutputOptions, PrintingCommand } from '../output.js';
import { parseGatewayAddress, splitUrls } from '../status/metrics-urls.js';

const pollMs = 1_000;
const fallbackTimeoutSeconds = 300;

interface WaitOptions extends OutputOptions {
  gateway?: string[];
  timeout?: number;
}

/** Messages on the disk of a gateway; `unreachable` is the reason when it does not answer. */
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

  async run(_: string[], { gateway, timeout = fallbackTimeoutSeconds, ...options }: WaitOptions): Promise<void> {
    const urls = gateway ?? splitUrls(this.connection.read(variables).GATEWAY_METRICS_URLS);
    if (urls.length === 0) throw new OperationError('name the gateways: --gateway <urls...>, or GATEWAY_METRICS_URLS');
    const deadline = performance.now() + timeout * 1_000;
    for (;;) {
      const spools = (await scrapeProcesses(urls)).map(readSpool);
      if (spools.every(isEmpty)) {
        this.output.print(
          spools,
          options,
          () => `No message waits on the disk of ${spools.map(({ name }) => name).join(', ')}.`,
        );
        return;
      }
      if (performance.now() > deadline)
        throw new OperationError(
          spools
            .filter((spool) => !isEmpty(spool))
            .map(describeSpool)
            .join('; '),
        );
      await sleep(pollMs);
    }
  }

  @Option({ flags: '--gateway <urls...>', description: 'Addresses of the /metrics of the gateways to be removed' })
  parseGateway(url: string, earlierUrls: string[] = []): string[] {
    return [...earlierUrls, parseGatewayAddress(url)];
  }

  @Option({ flags: '--timeout <seconds>', description: `Time to wait; ${fallbackTimeoutSeconds} by default` })
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
  samples: readonly MetricSample[];
}

function readSpool({ url, unreachable, samples }: SpoolAnswer): Spool {
  const isGateway = samples.some(({ name }) => name === 'sluice_spool_messages');
  return {
    url,
    name: nameProcess(url, samples, 'gateway'),
    unreachable: unreachable ?? (isGateway ? null : 'it is not the /metrics of a gateway'),
    messages: sumSamples(samples, 'sluice_spool_messages'),
    forPeople:
      sumSamples(samples, 'sluice_spool_refused_messages') + sumSamples(samples, 'sluice_spool_damaged_messages'),
  };
}

const isEmpty = ({ unreachable, messages, forPeople }: Spool): boolean =>
  unreachable === null && messages + forPeople === 0;

function describeSpool({ url, name, unreachable, messages, forPeople }: Spool): string {
  const gatewayName = `${name} (${url})`;
  if (unreachable !== null) return `${gatewayName} does not answer: ${unreachable}`;
  return messages > 0
    ? `${gatewayName} has ${messages} messages that wait for Kafka`
    : `${gatewayName} has ${forPeople} refused or damaged messages in its folder; keep them first`;
}
