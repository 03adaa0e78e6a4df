import { type MetricObjectWithValues, type MetricValue } from '@sluice/service';

export type Metrics = MetricObjectWithValues<MetricValue<string>>[];

/** What the primary asks a worker, and what the answer is. */
export interface FleetAnswers {
  live: { ok: boolean };
  ready: { ok: boolean };
  metrics: Metrics;
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

/** Requests of each source that a worker has counted against a rate since it last told. */
export interface TakenRequests {
  kind: 'taken';
  limit: string;
  requests: [source: string, count: number][];
}

export type FleetMessage = FleetQuestion | FleetAnswer | TakenRequests;

/** Node's own modules and libraries send messages of theirs on the same channel. */
export const isFleetMessage = (value: unknown): value is FleetMessage =>
  typeof value === 'object' && value !== null && 'kind' in value;
