import { type FreeForm } from '@sluice/contracts';
import { type PlanVerdict, type Problem } from '@sluice/messages';
import { type ReducedProperties, type LivePlans, type MessageVerdict } from '@sluice/plans';
import { type OutgoingRow } from './outgoing-row.js';
import { type SourceRequest } from './source-request.js';

/** A message that the plan of its source refuses. */
export interface RefusedByPlan<T> {
  message: T;
  /** The message as sent, without what the rules of its source leave out. */
  body: unknown;
  messageId: string;
  problems: readonly Problem[];
  verdict: PlanVerdict;
}

/** A kind of message to which tracking plans apply. */
export interface Planned<T> {
  /** Field whose members the plan describes. */
  bag: 'properties' | 'traits';
  judge: (plans: LivePlans, message: T) => MessageVerdict | undefined;
  /** The members of the bag without those that the plan does not allow. */
  drop: (plans: LivePlans, message: T) => ReducedProperties;
  /** The message with other members in its bag. */
  withBag: (message: T, members: FreeForm) => T;
  /** The row in which a refused message is kept whole. */
  keep: (refused: RefusedByPlan<T>, request: SourceRequest) => OutgoingRow;
}
