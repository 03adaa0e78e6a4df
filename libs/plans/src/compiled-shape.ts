import { type FreeForm } from '@sluice/contracts';
import { asStored, hasDottedName } from './as-stored.js';
import { Explanation, type DroppedProperty } from './explain.js';
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

/**
 * The shape of one event. A compiled function says yes or no; only a no is explained
 * (docs/decisions/0007-validation.md). It is compiled at its first use.
 */
export class CompiledShape {
  private accepting: ((properties: FreeForm) => boolean) | undefined;
  private node: ObjectNode | undefined;

  constructor(
    private readonly shape: ObjectShape,
    private readonly compile: (shape: ObjectShape) => (properties: FreeForm) => boolean,
  ) {}

  /** Whether the object fits as it is stored. */
  accepts(sent: Sent): boolean {
    const properties = sent ?? nothing;
    this.accepting ??= this.compile(this.shape);
    return this.accepting(properties) || (hasDottedName(properties) && this.accepting(asStored(properties)));
  }

  /** Rules and paths, at most eight and `more`; empty exactly when `accepts` is true. */
  violations(sent: Sent): string[] {
    return this.explain(sent).violations.list;
  }

  /** What remains is accepted, apart from what is missing. The sent object itself when nothing is left out. */
  dropOffending(sent: Sent): Dropped {
    const { kept, dropped } = this.explain(sent);
    return { properties: dropped.length === 0 ? (sent ?? nothing) : kept, dropped };
  }

  private explain(sent: Sent): Explanation {
    const properties = sent ?? nothing;
    this.node ??= objectNodeOf(this.shape);
    return new Explanation(this.node, hasDottedName(properties) ? asStored(properties) : properties);
  }
}
