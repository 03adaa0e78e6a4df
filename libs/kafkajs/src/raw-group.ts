// Reaches into kafkajs/src/index.js for a cluster of its own, to send what a member of a dead generation would send.
import { type Kafka } from './patched.js';

interface JoinAnswer {
  readonly generationId: number;
  readonly memberId: string;
}
interface OffsetPlace {
  readonly partition: number;
  readonly offset: string;
  readonly metadata: string;
}
interface Coordinator {
  joinGroup(request: object): Promise<JoinAnswer>;
  syncGroup(request: object): Promise<unknown>;
  offsetCommit(request: object): Promise<unknown>;
  offsetFetch(request: object): Promise<{ responses: { topic: string; partitions: OffsetPlace[] }[] }>;
  leaveGroup(request: object): Promise<unknown>;
}
interface GroupCluster {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  findGroupCoordinator(request: { groupId: string }): Promise<Coordinator>;
}
type CreateCluster = (options: object) => GroupCluster;

const createSymbol = 'private:Kafka:createCluster';
const sessionMs = 10_000;

/** A consumer group with one member, request by request: kafkajs' own member never commits under a dead generation. */
export class RawGroup {
  private memberId = '';

  private constructor(
    private readonly cluster: GroupCluster,
    private readonly coordinator: Coordinator,
    private readonly groupId: string,
  ) {}

  /** @throws when Kafka cannot be reached, or kafkajs is another one. */
  static async open(kafka: Kafka, groupId: string): Promise<RawGroup> {
    const symbol = Object.getOwnPropertySymbols(kafka).find(({ description }) => description === createSymbol);
    const create = symbol && (kafka as unknown as Record<symbol, CreateCluster | undefined>)[symbol];
    if (!create) throw new Error('this kafkajs makes no cluster');
    const cluster = create({ metadataMaxAge: 0, allowAutoTopicCreation: false });
    try {
      await cluster.connect();
      return new RawGroup(cluster, await cluster.findGroupCoordinator({ groupId }), groupId);
    } catch (error) {
      await cluster.disconnect();
      throw error;
    }
  }

  /** Joins, or joins again, which begins a generation. Resolves with its number. */
  async join(): Promise<number> {
    const { groupId } = this;
    const request = {
      ...{ groupId, sessionTimeout: sessionMs, rebalanceTimeout: sessionMs, protocolType: 'consumer' },
      groupProtocols: [{ name: 'doctor', metadata: Buffer.alloc(0) }],
    };
    const join = (): Promise<JoinAnswer> => this.coordinator.joinGroup({ ...request, memberId: this.memberId });
    const answer = await join().catch((error: unknown) => {
      // The coordinator first gives the member its id.
      const { memberId } = error as { memberId?: string };
      if (memberId === undefined || memberId === '') throw error;
      this.memberId = memberId;
      return join();
    });
    this.memberId = answer.memberId;
    const { generationId, memberId } = answer;
    const groupAssignment = [{ memberId, memberAssignment: Buffer.alloc(0) }];
    await this.coordinator.syncGroup({ groupId, generationId, memberId, groupAssignment });
    return generationId;
  }

  /** @throws the error with which Kafka refuses the commit. */
  async commit(generationId: number, topic: string, place: OffsetPlace): Promise<void> {
    const { groupId, memberId } = this;
    const topics = [{ topic, partitions: [place] }];
    await this.coordinator.offsetCommit({ groupId, groupGenerationId: generationId, memberId, topics });
  }

  /** The committed offset and metadata of a partition. */
  async committed(topic: string, partition: number): Promise<OffsetPlace | undefined> {
    const topics = [{ topic, partitions: [{ partition }] }];
    const { responses } = await this.coordinator.offsetFetch({ groupId: this.groupId, topics });
    return responses
      .find((answer) => answer.topic === topic)
      ?.partitions.find((place) => place.partition === partition);
  }

  async close(): Promise<void> {
    try {
      await this.coordinator.leaveGroup({ groupId: this.groupId, memberId: this.memberId });
    } finally {
      await this.cluster.disconnect();
    }
  }
}
