/** One process of a cluster, which is both broker and controller. */
export interface KafkaNode {
  readonly id: number;
  readonly port: number;
  readonly controllerPort: number;
  readonly folder: string;
}
