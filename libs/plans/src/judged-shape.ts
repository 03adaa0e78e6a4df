import { type FreeForm } from '@sluice/contracts';
import { asStored, hasDottedName } from './as-stored.js';
import { Explanation, type DroppedProperty } from './explain.js';
import { fits } from './fits.js';
import { type ObjectShape } from './plan.js';
import { type ObjectNode, objectNodeOf } from './plan-node.js';

/** Properties without the offending ones, and what is left out. */
export interface Dropped {
  readonly properties: FreeForm;
  readonly dropped: readonly DroppedProperty[];
}

/** Properties of an event, or traits, as a client sent them. */
export type Sent = FreeForm | null | undefined;

const nothing: FreeForm = {};

/** The shape of one event or of traits, which judges messages. A quick walk says yes or no; only a no is explained. */
export class JudgedShape {
  private laidOut: ObjectNode | undefined;

  constructor(private readonly shape: ObjectShape) {}

  /** Whether the object fits as it is stored. */
  accepts(sent: Sent): boolean {
    const properties = sent ?? nothing;
    return fits(this.node, properties) || (hasDottedName(properties) && fits(this.node, asStored(properties)));
  }

  /** Rules and paths, at most eight and `more`; empty exactly when `accepts` is true. */
  violations(sent: Sent): string[] {
    return this.explain(sent).violations.list;
  }

  /**
   * Leaves out what offends; the rest is accepted, apart from what is missing. Returns the sent object itself when nothing
   * is left out.
   */
  dropOffending(sent: Sent): Dropped {
    const { kept, dropped } = this.explain(sent);
    return { properties: dropped.length === 0 ? (sent ?? nothing) : kept, dropped };
  }

  /** Laid out at the first message: a plan may name many events that no client sends. */
  private get node(): ObjectNode {
    return (this.laidOut ??= objectNodeOf(this.shape));
  }

  private explain(sent: Sent): Explanation {
    const properties = sent ?? nothing;
    return new Explanation(this.node, hasDottedName(properties) ? asStored(properties) : properties);
  }
}
