import { type TableConfig } from '@sluice/clickhouse';
import { type GroupProbe, type Kafka, type KafkaConfig, type SendProbe } from '@sluice/kafka';
import { type TableServers } from '../privacy/servers.js';
import { type Finding } from './finding.js';

/** Apps whose rights the doctor knows: docs/rights.md. */
export const rightsApps = ['tracking', 'catalog', 'push-interaction', 'operator', 'console'] as const;
export type RightsApp = (typeof rightsApps)[number];

export interface DoctorQuestion {
  readonly config: KafkaConfig & TableConfig;
  /** Addresses of the gateways' `/metrics`. */
  readonly gateways: readonly string[];
  /** Addresses of the consumers' `/metrics`. */
  readonly consumers: readonly string[];
  /** The app whose credentials these are. */
  readonly app: RightsApp;
  /** The longest outage of ClickHouse that must lose nothing. */
  readonly outageHours: number;
  /** The folder of a gateway's spool, where the doctor runs next to one. */
  readonly spoolFolder?: string | undefined;
}

/** The connections, scratch names and probes that checks share. */
export interface Examination {
  readonly question: DoctorQuestion;
  readonly kafka: Kafka;
  readonly servers: TableServers;
  readonly scratch: ScratchNames;
  /** Sends to the scratch topic; made once. */
  readonly sends: () => Promise<SendProbe[]>;
  /** Commits in the scratch group; made once. */
  readonly group: () => Promise<GroupProbe>;
}

export interface ScratchNames {
  readonly topic: string;
  readonly group: string;
  readonly table: string;
}

/** One thing that the promises rest on. */
export interface DoctorCheck {
  readonly check: string;
  readonly tested: string;
  /** @throws what keeps it from being tested. */
  readonly run: (examination: Examination) => Promise<Finding>;
}
