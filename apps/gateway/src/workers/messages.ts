import { type MetricObjectWithValues, type MetricValue } from '@sluice/service';

export type Metrics = MetricObjectWithValues<MetricValue<string>>[];

/** What the primary asks a worker, and what the answer is. */
export interface Answers {
  live: { ok: boolean };
  ready: { ok: boolean };
  metrics: Metrics;
}
export type Topic = keyof Answers;

export interface Question {
  kind: 'question';
  id: number;
  topic: Topic;
}

export interface Answer {
  kind: 'answer';
  id: number;
  answer: Answers[Topic];
}

/** Requests of each source that a worker has counted against a rate since it last told. */
export interface Taken {
  kind: 'taken';
  limit: string;
  requests: [source: string, count: number][];
}

export type Message = Question | Answer | Taken;

/** Node's own modules and libraries send messages of theirs on the same channel. */
export const isMessage = (value: unknown): value is Message =>
  typeof value === 'object' && value !== null && 'kind' in value;
