import { type FreeForm } from '@sluice/contracts';
import { toStoredForm, hasDottedName } from './as-stored.js';
import { PlanExplanation, type DroppedProperty } from './explain.js';
import { fits } from './fits.js';
import { type ObjectShape } from '../plan/plan.js';
import { type ObjectNode, buildObjectNode } from './plan-node.js';

/** Properties without the offending ones, and those that are left out. */
export interface ReducedProperties {
  readonly properties: FreeForm;
  readonly dropped: readonly DroppedProperty[];
}

/** Properties of an event, or traits, as a client sent them. */
export type SentProperties = FreeForm | null | undefined;

const noProperties: FreeForm = {};

/** The shape of one event or of traits, which judges messages. A quick walk says yes or no; only a no is explained. */
export class JudgedShape {
  private lazyNode: ObjectNode | undefined;

  constructor(private readonly shape: ObjectShape) {}

  /** Whether the object fits as it is stored. */
  accepts(sent: SentProperties): boolean {
    const properties = sent ?? noProperties;
    return fits(this.node, properties) || (hasDottedName(properties) && fits(this.node, toStoredForm(properties)));
  }

  /** Rules and paths, at most eight and `more`; empty exactly when `accepts` is true. */
  violations(sent: SentProperties): string[] {
    return this.explain(sent).violations.list;
  }

  /**
   * Leaves out offending properties; the rest is accepted, apart from what is missing. Returns the sent object itself when nothing
   * is left out.
   */
  dropOffending(sent: SentProperties): ReducedProperties {
    const { remaining, dropped } = this.explain(sent);
    return { properties: dropped.length === 0 ? (sent ?? noProperties) : remaining, dropped };
  }

  /** Laid out at the first message: a plan may name many events that no client sends. */
  private get node(): ObjectNode {
    return (this.lazyNode ??= buildObjectNode(this.shape));
  }

  private explain(sent: SentProperties): PlanExplanation {
    const properties = sent ?? noProperties;
    return new PlanExplanation(this.node, hasDottedName(properties) ? toStoredForm(properties) : properties);
  }
}
