import { freePorts } from '../free-port.js';
import { ServerProcess } from '../server/server-process.js';
import { type KafkaOptions, prepareKafka } from './prepare-kafka.js';

export interface StartKafkaOptions extends Pick<KafkaOptions, 'listeners' | 'properties' | 'scramUsers'> {
  readonly dataDir: string;
  /** Port of the first broker; by default any free port, as for the others. */
  readonly port?: number;
  readonly brokers?: 1 | 3;
  readonly heapMb?: number;
  readonly onProgress?: (step: string) => void;
}

export interface RunningKafka {
  readonly brokers: string[];
  readonly pids: number[];
  stop(): Promise<void>;
}

/** Starts a real Kafka; resolves when it is ready. Three brokers store a message twice before they acknowledge it. */
export async function startKafka(options: StartKafkaOptions): Promise<RunningKafka> {
  const { port, brokers: count = 1, heapMb = count === 1 ? 512 : 384, ...rest } = options;
  const ports = await freePorts(count);
  if (port !== undefined) ports[0] = port;
  const { brokers, servers } = await prepareKafka({ ...rest, ports, heapMb });
  const processes = await Promise.all(servers.map((spec) => ServerProcess.spawn(spec)));
  const stop = async () => {
    await Promise.all(processes.map((process) => process.stop()));
  };
  try {
    await Promise.all(processes.map((process) => process.untilReady(60_000)));
  } catch (error) {
    await stop();
    throw error;
  }
  return { brokers, pids: processes.map(({ pid }) => pid), stop };
}
