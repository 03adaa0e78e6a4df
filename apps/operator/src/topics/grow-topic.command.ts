import { growTopic, type Kafka, kafkaVariables, readCluster, readLag } from '@sluice/kafka';
import { Option, SubCommand } from 'nest-commander';
import { findDestination, destinations, OperationError, withKafka } from '@sluice/operations';
import { Connection } from '../connection/connection.js';
import { ShellActions } from '../connection/shell-actions.js';
import { Output, type OutputOptions, PrintingCommand } from '../output.js';
import { type Growth, explainGrowth } from './growth.js';

const limitMs = 60_000;
/** Upper bound above any sensible topic: a typing error could not be undone. */
const maxPartitions = 10_000;

interface GrowOptions extends OutputOptions {
  yes?: boolean;
  despiteBacklog?: boolean;
}

@SubCommand({
  name: 'grow',
  arguments: '<topic> <partitions>',
  description: 'Give a data topic more partitions; says what that means, and does it with --yes',
})
export class GrowTopicCommand extends PrintingCommand {
  constructor(
    private readonly connection: Connection,
    private readonly actions: ShellActions,
    private readonly output: Output,
  ) {
    super();
  }

  async run([topic, text]: [string, string], { yes = false, despiteBacklog = false, ...options }: GrowOptions) {
    const to = parsePartitions(text);
    const group = requireGroup(topic);
    const config = this.connection.read(kafkaVariables);
    const growth = await withKafka(config, limitMs, async (kafka) => {
      const plannedGrowth = await planGrowth(kafka, { topic, to, group });
      // Decided before anything is printed, because --json prints one value.
      if (yes && plannedGrowth.waiting > 0 && !despiteBacklog) throw makeBacklogError(plannedGrowth);
      const action = { operation: 'topics.grow', object: topic, details: { from: plannedGrowth.from, to } };
      if (yes) await this.actions.record(action, () => growTopic(kafka, topic, to));
      return plannedGrowth;
    });
    this.output.print({ ...growth, isDone: yes }, options, () => describeGrowth(growth, yes));
    if (!yes) throw new OperationError('nothing was changed; repeat it with --yes');
  }

  @Option({ flags: '--yes', description: 'Do it' })
  parseYes(): boolean {
    return true;
  }

  @Option({ flags: '--despite-backlog', description: 'Do it although messages wait to be stored' })
  parseDespiteBacklog(): boolean {
    return true;
  }
}

async function planGrowth(kafka: Kafka, { topic, to, group }: Pick<Growth, 'topic' | 'to' | 'group'>): Promise<Growth> {
  const { topics } = await readCluster(kafka, [topic]);
  const from = topics[0]?.partitions ?? 0;
  if (from === 0) throw new OperationError(`${topic} does not exist yet; operator migrate creates it`);
  if (to <= from) throw new OperationError(`${topic} has ${from} partitions already; they can only be added`);
  const [lag] = await readLag(kafka, [{ topic, group }]);
  return { topic, from, to, group, waiting: lag?.messages ?? 0 };
}

function requireGroup(topic: string): string {
  const destination = findDestination(topic);
  if (destination) return destination.group;
  const topicNames = destinations.map((dataTopic) => dataTopic.topic).join(', ');
  throw new OperationError(`${topic} is not a data topic of Sluice; those are ${topicNames}`);
}

function parsePartitions(text: string): number {
  const partitions = Number(text);
  if (Number.isInteger(partitions) && partitions >= 1 && partitions <= maxPartitions) return partitions;
  throw new OperationError(`<partitions> must be a whole number from 1 to ${maxPartitions}; it is '${text}'`);
}

const makeBacklogError = ({ group, topic, waiting }: Growth): OperationError =>
  new OperationError(
    `nothing was changed: the group ${group} has ${waiting} messages of ${topic} to store; ` +
      'wait until it has stored them, or add --despite-backlog',
  );

const describeGrowth = (growth: Growth, isDone: boolean): string =>
  [
    ...explainGrowth(growth).map((line) => `- ${line}`),
    ...(isDone ? ['', `${growth.topic} has ${growth.to} partitions now.`] : []),
  ].join('\n');
