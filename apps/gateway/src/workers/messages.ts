import { type MetricObjectWithValues, type MetricValue } from '@sluice/service';

export type Metrics = MetricObjectWithValues<MetricValue<string>>[];

/** Topics that the primary asks workers about, with the types of their answers. */
export interface FleetAnswers {
  live: { ok: boolean };
  ready: { ok: boolean };
  metrics: Metrics;
  /** Whether no message waits on the disk of the worker. */
  drained: { ok: boolean };
}
export type FleetTopic = keyof FleetAnswers;

export interface FleetQuestion {
  kind: 'question';
  id: number;
  topic: FleetTopic;
}

export interface FleetAnswer {
  kind: 'answer';
  id: number;
  answer: FleetAnswers[FleetTopic];
}

/** Requests of each source that a worker has counted against a rate since its previous message. */
export interface TakenRequests {
  kind: 'taken';
  limit: string;
  requests: [source: string, count: number][];
}

export type FleetMessage = FleetQuestion | FleetAnswer | TakenRequests;

/** Whether a message is the gateway's own: Node's modules and libraries use the same channel. */
export const isFleetMessage = (value: unknown): value is FleetMessage =>
  typeof value === 'object' && value !== null && 'kind' in value;
