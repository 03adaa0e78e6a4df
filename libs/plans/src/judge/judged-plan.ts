import { JudgedShape } from './judged-shape.js';
import { type Plan, type PlanMode } from '../plan/plan.js';

/** An event of a plan that judges messages. */
export interface JudgedEvent {
  readonly shape: JudgedShape;
  readonly mode: PlanMode | undefined;
}

/** A plan that judges messages. */
export interface JudgedPlan {
  readonly version: number;
  readonly additionalEvents: boolean;
  readonly events: ReadonlyMap<string, JudgedEvent>;
  readonly traits: JudgedShape | undefined;
}

/** Makes a plan ready to judge. */
export const buildJudgedPlan = ({ version, additionalEvents = false, events, traits }: Plan): JudgedPlan => ({
  version,
  additionalEvents,
  events: new Map(
    Object.entries(events).map(([name, event]) => [name, { shape: new JudgedShape(event), mode: event.mode }]),
  ),
  traits: traits && new JudgedShape(traits),
});
