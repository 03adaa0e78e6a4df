import { type DoctorCheck } from './examination.js';
import { clickhouseDisk } from './checks/clickhouse-disk.js';
import { clickhouseReaders } from './checks/clickhouse-readers.js';
import { clickhouseRights } from './checks/clickhouse-rights.js';
import { clickhouseSchema } from './checks/clickhouse-schema.js';
import { clickhouseSettings } from './checks/clickhouse-settings.js';
import { clickhouseTokens } from './checks/clickhouse-tokens.js';
import { clickhouseTtls } from './checks/clickhouse-ttls.js';
import { clickhouseViews } from './checks/clickhouse-views.js';
import { clickhouseWindows } from './checks/clickhouse-windows.js';
import { clocks } from './checks/clocks.js';
import { kafkaCommits } from './checks/kafka-commits.js';
import { kafkaDurability } from './checks/kafka-durability.js';
import { kafkaGenerations } from './checks/kafka-generations.js';
import { kafkaLogs } from './checks/kafka-logs.js';
import { kafkaRetention } from './checks/kafka-retention.js';
import { kafkaTime } from './checks/kafka-time.js';
import { kafkaTopics } from './checks/kafka-topics.js';
import { processes } from './checks/processes.js';
import { spoolDisk } from './checks/spool-disk.js';

/** All checks in the order of the output; each is one file. */
export const allChecks: readonly DoctorCheck[] = [
  kafkaCommits,
  kafkaGenerations,
  kafkaLogs,
  kafkaTime,
  kafkaTopics,
  kafkaDurability,
  kafkaRetention,
  clickhouseTokens,
  clickhouseWindows,
  clickhouseSchema,
  clickhouseSettings,
  clickhouseTtls,
  clickhouseViews,
  clickhouseRights,
  clickhouseReaders,
  clickhouseDisk,
  clocks,
  spoolDisk,
  processes,
];
