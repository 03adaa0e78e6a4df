import { clickhouseVariables } from '@sluice/clickhouse';
import { identifyTopic, trackTopic } from '@sluice/contracts';
import { type Kafka, kafkaVariables, type OutgoingMessage, cutIntoSends, Sender } from '@sluice/kafka';
import {
  checkClickHouse,
  type KeptConditions,
  makeSelectRows,
  OperationError,
  readKeptMessages,
  withKafka,
  withSuppressions,
} from '@sluice/operations';
import { type FieldHash, MessageRules, createRunNames } from '@sluice/messages';
import { ensurePlansTopic, PlanReader } from '@sluice/plans';
import {
  type PrivacyKey,
  privacyVariables,
  SuppressionFilter,
  type SuppressionReader,
  topicsKeyedByPerson,
} from '@sluice/privacy';
import { ensureSourcesTopic, SourceReader } from '@sluice/sources';
import { Option, SubCommand } from 'nest-commander';
import { Connection } from '../connection/connection.js';
import { ShellActions } from '../connection/shell-actions.js';
import { Output, type OutputOptions, PrintingCommand } from '../output.js';
import { parsePeriod } from '../period.js';
import { formatGrid, toOneLine } from '../terminal-text.js';
import { queryLimit } from './refusals.js';
import { type PresentRules, rereadMessage } from './reread.js';

const keptMs = 30 * 86_400_000;
/** Time limit of a replay, which may have millions of messages; each send has its own limit. */
const replayLimitMs = 6 * 60 * 60 * 1_000;
/** Time limit to read all plans. */
const plansLimitMs = 60_000;
/** Names of one run for a source without a bound of its own, as SOURCE_MAX_NAMES_PER_DAY of a gateway by default. */
const fallbackNames = 2_000;
const maxReasons = 50;
const hashShape = /^[\w-]{22}$/;

interface ReplayOptions extends OutputOptions {
  source: string;
  event?: string;
  since?: number;
  dryRun?: boolean;
}

interface Replayed {
  /** Messages that Kafka has acknowledged; after a dry run, those that would be sent. */
  messages: number;
  /** Messages that the present rules refuse too, with the most frequent reasons. */
  refusedAgain: number;
  reasons: { why: string; count: number }[];
  /** Messages of suppressed people, which stay where they are. */
  suppressed: number;
  isDone: boolean;
}

type Send = (messages: readonly OutgoingMessage[]) => Promise<void>;

@SubCommand({
  name: 'replay',
  description:
    'Read messages that were refused and kept again, under the present plan, and store those that it accepts; stored messages are not stored again',
})
export class ReplayRefusedCommand extends PrintingCommand {
  constructor(
    private readonly connection: Connection,
    private readonly actions: ShellActions,
    private readonly output: Output,
  ) {
    super();
  }

  async run(_: string[], { source, event, since = keptMs, dryRun = false, ...options }: ReplayOptions): Promise<void> {
    const conditions = { from: new Date(Date.now() - since), source, ...(event !== undefined && { event }) };
    await checkClickHouse(this.connection.read(clickhouseVariables));
    const present = await this.presentRules(source);
    const replayed = dryRun
      ? await this.replayWithout(conditions, present)
      : await this.actions.record(
          { operation: 'refused.replay', object: source, details: event === undefined ? {} : { event } },
          () => this.replayToKafka(conditions, present),
        );
    this.output.print({ ...replayed, isDone: !dryRun }, options, describeReplay);
  }

  @Option({ flags: '--source <sourceIdentifier>', description: 'The source of the messages', required: true })
  source(text: string): string {
    return text;
  }

  @Option({ flags: '--event <event>', description: 'Only events of this name' })
  event(text: string): string {
    return text;
  }

  @Option({ flags: '--since <time>', description: 'Time before now: 90s, 10m, 6h, 7d; 30d by default' })
  since(text: string): number {
    return parsePeriod('--since', text);
  }

  @Option({ flags: '--dry-run', description: 'Send nothing, and say what would be sent' })
  dryRun(): boolean {
    return true;
  }

  /** The rules and plans by which gateways take messages of the source now. */
  private presentRules(source: string): Promise<PresentRules> {
    const config = this.connection.read({ ...kafkaVariables, ...privacyVariables });
    return withKafka(config, plansLimitMs, async (kafka) => {
      await Promise.all([ensurePlansTopic(kafka, config), ensureSourcesTopic(kafka, config)]);
      const [plans, sources] = [new PlanReader(kafka), new SourceReader(kafka)];
      try {
        await Promise.all([plans.start(), sources.start()]);
        const record = sources.registry.find(source);
        const rules = record && MessageRules.forSource(record, rehash(source, config.PRIVACY_KEY));
        const names = createRunNames(record?.limits?.namesPerDay ?? fallbackNames);
        return { plans: plans.registry.live(source), rules, names };
      } finally {
        await Promise.all([plans.stop(), sources.stop()]);
      }
    });
  }

  /** A dry run: sends nothing. */
  private replayWithout(conditions: KeptConditions, present: PresentRules): Promise<ReplayCounts> {
    return this.withServers((_, isSuppressed) =>
      this.replay(conditions, { present, isSuppressed, send: () => Promise.resolve() }),
    );
  }

  private replayToKafka(conditions: KeptConditions, present: PresentRules): Promise<ReplayCounts> {
    return this.withServers(async (kafka, isSuppressed) => {
      const sender = new Sender(kafka, [trackTopic.name, identifyTopic.name]);
      await sender.start();
      const send: Send = async (messages) => {
        for (const part of cutIntoSends(messages)) await sender.send(part);
      };
      try {
        return await this.replay(conditions, { present, isSuppressed, send });
      } finally {
        await sender.stop();
      }
    });
  }

  private withServers(
    work: (kafka: Kafka, isSuppressed: ReplayMeans['isSuppressed']) => Promise<ReplayCounts>,
  ): Promise<ReplayCounts> {
    const config = this.connection.read({ ...kafkaVariables, ...privacyVariables });
    return withKafka(config, replayLimitMs, (kafka) =>
      withSuppressions(kafka, config, (suppressions) => work(kafka, makeSuppressionTest(suppressions))),
    );
  }

  /** @throws OperationError that says how many messages were sent before */
  private async replay(
    conditions: KeptConditions,
    { present, isSuppressed, send }: ReplayMeans,
  ): Promise<ReplayCounts> {
    const reasons = new Map<string, number>();
    let [messages, refusedAgain, suppressed] = [0, 0, 0];
    const select = makeSelectRows(this.connection.read(clickhouseVariables), queryLimit);
    try {
      for await (const page of readKeptMessages(select, conditions)) {
        const accepted: OutgoingMessage[] = [];
        for (const outcome of page.map((keptMessage) => rereadMessage(keptMessage, present))) {
          if ('message' in outcome && isSuppressed(outcome.message)) suppressed += 1;
          else if ('message' in outcome) accepted.push(outcome.message);
          else {
            refusedAgain += 1;
            reasons.set(outcome.why, (reasons.get(outcome.why) ?? 0) + 1);
          }
        }
        if (accepted.length > 0) await send(accepted);
        messages += accepted.length;
      }
    } catch (error) {
      const hint = 'Replay again: stored messages are not stored again';
      throw new OperationError(`${messages} messages were replayed, then: ${String(error)}. ${hint}`, {
        cause: error,
      });
    }
    return { messages, refusedAgain, suppressed, reasons: sortByFrequency(reasons) };
  }
}

type ReplayCounts = Omit<Replayed, 'isDone'>;

interface ReplayMeans {
  present: PresentRules;
  isSuppressed: (message: OutgoingMessage) => boolean;
  send: Send;
}

/** Keeps a value that looks like a hash: the gateway hashed it before it kept the message. */
const rehash =
  (source: string, key: PrivacyKey | undefined): FieldHash =>
  (value) =>
    hashShape.test(value) ? value : key?.hashField(source, value);

const makeSuppressionTest = (suppressions: SuppressionReader): ReplayMeans['isSuppressed'] => {
  const filter = new SuppressionFilter(suppressions, topicsKeyedByPerson);
  return ({ topic, key, value }) =>
    filter.drops(topic, { key: Buffer.from(key), value: Buffer.from(value), timestamp: String(Date.now()) });
};

const sortByFrequency = (reasons: ReadonlyMap<string, number>): Replayed['reasons'] =>
  Array.from(reasons, ([why, count]) => ({ why, count }))
    .sort((a, b) => b.count - a.count)
    .slice(0, maxReasons);

function describeReplay({ messages, refusedAgain, suppressed, reasons, isDone }: Replayed): string {
  const suppressedNote = suppressed > 0 ? `\nOf suppressed people, left out: ${suppressed}` : '';
  const heading = `${isDone ? 'Replayed' : 'Would be replayed'}: ${messages}${suppressedNote}`;
  if (refusedAgain === 0) return heading;
  const rows = reasons.map(({ why, count }) => [String(count), toOneLine(why)]);
  return [heading, `Refused again: ${refusedAgain}`, formatGrid(['MESSAGES', 'WHY'], rows)].join('\n\n');
}
