/** One process of a cluster, broker and controller at once. */
export interface KafkaNode {
  readonly id: number;
  readonly port: number;
  readonly controllerPort: number;
  readonly folder: string;
}
