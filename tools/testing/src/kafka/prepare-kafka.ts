import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePorts } from '../free-port.js';
import { type ServerSpec } from '../server/server-spec.js';
import { ServerStartError } from '../server/server-start-error.js';
import { brokerAnswers } from './api-versions.js';
import { requireJava } from './java.js';
import { kafkaJars } from './kafka-jars.js';
import { type KafkaNode } from './kafka-node.js';
import { type Listener } from './listener.js';
import { serverProperties } from './server-properties.js';

const run = promisify(execFile);
const logging = new URL('../../kafka/log4j2.properties', import.meta.url).href;

export interface KafkaOptions {
  /** Folder for all data of the cluster. A later start with the same folder keeps topics and messages. */
  readonly dataDir: string;
  /** One port per broker. The number of brokers of a cluster cannot change later. */
  readonly ports: readonly number[];
  readonly heapMb?: number;
  /** Additional addresses of the first broker. */
  readonly listeners?: readonly Listener[];
  /** Further properties of each node, such as those of an authorizer. */
  readonly properties?: Readonly<Record<string, string>>;
  /** SCRAM users in the format of `kafka-storage format --add-scram`. Only the first use of the folder adds them. */
  readonly scramUsers?: readonly string[];
  /** By default `broker-<n>.log` in the data folder. */
  readonly logFile?: (node: number) => string;
  readonly onProgress?: (step: string) => void;
  /** Aborts fetching and formatting. */
  readonly signal?: AbortSignal;
}

export interface PreparedKafka {
  readonly brokers: string[];
  /** Start all at the same time: a node is ready only when most nodes of the cluster are. */
  readonly servers: ServerSpec[];
}

async function clusterId(dataDir: string): Promise<string> {
  const file = join(dataDir, 'cluster-id');
  if (!existsSync(file)) await writeFile(file, randomBytes(16).toString('base64url'));
  return readFile(file, 'utf8');
}

/** Further options of the JVM: KAFKA_JAVA_OPTIONS, separated by spaces. */
const extraJavaOptions = (): readonly string[] => process.env['KAFKA_JAVA_OPTIONS']?.match(/\S+/g) ?? [];

const java = (jars: string, heapMb: number): string[] => [
  ...extraJavaOptions(),
  `-Xmx${heapMb}m`,
  '-XX:+UseSerialGC',
  '-XX:+ExitOnOutOfMemoryError',
  `-Dlog4j2.configurationFile=${logging}`,
  '-cp',
  join(jars, '*'),
];

async function format(node: KafkaNode, cluster: string, jars: string, options: KafkaOptions): Promise<void> {
  const { scramUsers = [], signal } = options;
  if (existsSync(join(node.folder, 'data', 'meta.properties'))) return;
  // Written as `--cluster-id=`, because an id can begin with a dash.
  const args = ['kafka.tools.StorageTool', 'format', `--cluster-id=${cluster}`, '--config', configPath(node)];
  args.push(...scramUsers.flatMap((user) => ['--add-scram', user]));
  try {
    await run('java', ['-XX:TieredStopAtLevel=1', ...java(jars, 256), ...args], { signal });
  } catch (error) {
    const { stdout = '', stderr = String(error) } = error as { stdout?: string; stderr?: string };
    throw new ServerStartError(`Kafka could not format ${node.folder}:\n${stdout}${stderr}`);
  }
}

const configPath = (node: KafkaNode): string => join(node.folder, 'server.properties');

/** Fetches Kafka if necessary and formats a new data folder. The returned servers can be started repeatedly. */
export async function prepareKafka(options: KafkaOptions): Promise<PreparedKafka> {
  const { dataDir, ports, heapMb = 512, listeners, properties, onProgress = () => undefined, signal } = options;
  const { logFile = (id) => join(dataDir, `broker-${id}.log`) } = options;
  await requireJava();
  const [jars, controllerPorts] = await Promise.all([kafkaJars(onProgress, signal), freePorts(ports.length)]);

  const nodes = ports.map((port, index): KafkaNode => {
    const id = index + 1;
    return { id, port, controllerPort: controllerPorts[index] ?? 0, folder: join(dataDir, `broker-${id}`) };
  });
  await mkdir(dataDir, { recursive: true });
  const cluster = await clusterId(dataDir);
  await Promise.all(
    nodes.map(async (node) => {
      await mkdir(node.folder, { recursive: true });
      await writeFile(configPath(node), serverProperties(node, nodes, node.id === 1 ? listeners : [], properties));
      await format(node, cluster, jars, options);
    }),
  );
  const servers = nodes.map((node) => ({
    name: ports.length === 1 ? 'kafka' : `kafka-${node.id}`,
    command: 'java',
    args: [...java(jars, heapMb), 'kafka.Kafka', configPath(node)],
    port: node.port,
    logFile: logFile(node.id),
    isReady: () => brokerAnswers(node.port),
  }));
  return { brokers: ports.map((port) => `127.0.0.1:${port}`), servers };
}
