import { topicPrefix } from '@sluice/contracts';
import {
  createKafka,
  createScratchTopic,
  deleteScratch,
  isTransient,
  listScratch,
  probeGroup,
  probeSends,
  withinDeadline,
} from '@sluice/kafka';
import { retry, version } from '@sluice/service';
import { describeFailure } from '../operation-error.js';
import { TableServers } from '../privacy/servers.js';
import { allChecks } from './all-checks.js';
import { probedMetadata } from './checks/kafka-commits.js';
import { type DoctorCheck, type DoctorQuestion, type Examination, type ScratchNames } from './examination.js';
import { type CheckResult, type DoctorReport, type Finding, worstVerdict } from './finding.js';
import { isLeftover, makeRunName, makeScratchNames, scratchPrefix, scratchTablePrefix } from './scratch-names.js';
import { selectFrom } from './select-rows.js';

/** A check without an answer by then is unknown; the sum of a run stays below `runLimitMs`. */
const checkMs = 30_000;
const spreadMs = 20_000;
const cleanMs = 15_000;
const sends = 100;
const sentBytes = 1_000;
const sendTimeoutMs = 10_000;

/**
 * Tests on this very cluster what the promises of Sluice rest on. What it makes for that is deleted in the end, also when
 * `signal` ends the run; what a killed run left is deleted by the next one.
 */
export async function runDoctor(question: DoctorQuestion, signal?: AbortSignal): Promise<DoctorReport> {
  const { config } = question;
  const kafka = createKafka(config, 'sluice-doctor');
  const servers = new TableServers(config, { signal, maxSeconds: checkMs / 1_000 });
  const scratch = makeScratchNames(makeRunName(), topicPrefix);
  const examination: Examination = {
    question,
    kafka,
    servers,
    scratch,
    sends: once(async () => {
      await makeTopic(examination);
      return probeSends(kafka, scratch.topic, { sends, bytes: sentBytes, requestTimeoutMs: sendTimeoutMs });
    }),
    group: once(async () => {
      await makeTopic(examination);
      return probeGroup(kafka, { groupId: scratch.group, topic: scratch.topic }, probedMetadata);
    }),
  };
  const cleaner = new TableServers(config, { maxSeconds: cleanMs / 1_000 });
  try {
    const results: CheckResult[] = [];
    // Checks of one server at a time: they would change each other's times.
    for (const check of allChecks) {
      if (signal?.aborted) break;
      results.push(await runCheck(check, examination));
    }
    const time = new Date().toISOString();
    return { at: time, version, verdict: worstVerdict(results), checks: results };
  } finally {
    await clean({ ...examination, servers: cleaner });
    await Promise.all([servers.close(), cleaner.close()]);
  }
}

async function runCheck({ check, tested, run }: DoctorCheck, examination: Examination): Promise<CheckResult> {
  try {
    return { check, tested, ...(await withinDeadline(runWhileSpreading(run, examination), checkMs, 'not done')) };
  } catch (error) {
    const text = `could not be tested: ${describeFailure(error)}`;
    const action = 'Grant what docs/rights.md lists for the operator, or bring the server back.';
    return { check, tested, verdict: 'unknown', found: text, meaning: 'Nothing is known about it.', action };
  }
}

/** kafkajs meets offsets of a topic that a broker does not know yet with a TypeError. */
const isSpreading = (error: unknown): boolean => isTransient(error) || error instanceof TypeError;

/** Repeats a check while brokers do not know a new topic yet, or its leader: that is not a finding. */
const runWhileSpreading = (run: DoctorCheck['run'], examination: Examination): Promise<Finding> =>
  retry(() => run(examination), { forMs: spreadMs, while: isSpreading, firstPauseMs: 200, maxPauseMs: 1_000 });

const madeTopics = new WeakMap<ScratchNames, Promise<void>>();

/** Makes the scratch topic once. Its times are those of its broker, which shows the broker's clock. */
function makeTopic({ kafka, scratch, question }: Examination): Promise<void> {
  const creation =
    madeTopics.get(scratch) ??
    createScratchTopic(kafka, scratch.topic, {
      replicas: question.config.TOPIC_REPLICATION_FACTOR,
      entries: { 'message.timestamp.type': 'LogAppendTime', 'retention.ms': '3600000' },
    });
  madeTopics.set(scratch, creation);
  creation.catch(() => madeTopics.delete(scratch));
  return creation;
}

/** Deletes what this run made, and what runs that were killed have left. A failure is left to the next run. */
async function clean({ kafka, servers, scratch }: Examination): Promise<void> {
  const prefix = `${topicPrefix}${scratchPrefix}`;
  const cleanKafka = async (): Promise<void> => {
    const { topics, groups } = await listScratch(kafka, prefix);
    const isOver = (name: string): boolean => name === scratch.topic || isLeftover(name, prefix);
    await deleteScratch(kafka, { topics: topics.filter(isOver), groups: groups.filter(isOver) });
  };
  const cleanTables = async (): Promise<void> => {
    for (const server of servers.all) {
      const rows = await selectFrom<{ name: string }>(
        server,
        'SELECT name FROM system.tables WHERE database = currentDatabase() AND startsWith(name, {prefix:String})',
        { prefix: scratchTablePrefix },
      );
      const onCluster = server.cluster === undefined ? '' : ` ON CLUSTER \`${server.cluster}\``;
      for (const { name } of rows)
        if (name.startsWith(scratch.table) || isLeftover(name, scratchTablePrefix))
          await server.client.command({ query: `DROP TABLE IF EXISTS ${name}${onCluster} SYNC` });
    }
  };
  const cleaning = Promise.allSettled([cleanKafka(), cleanTables()]);
  await withinDeadline(cleaning, cleanMs, 'not deleted').catch(() => undefined);
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let outcome: Promise<T> | undefined;
  return () => {
    outcome ??= work().catch((error: unknown) => {
      outcome = undefined;
      throw error;
    });
    return outcome;
  };
}
