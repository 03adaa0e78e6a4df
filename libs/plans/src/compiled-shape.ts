import { type FreeForm } from '@sluice/contracts';
import { asStored, hasDottedName } from './as-stored.js';
import { type CompileQueue } from './compile-queue.js';
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

/** Whether an object fits a shape. */
export type Accepting = (properties: FreeForm) => boolean;

const nothing: FreeForm = {};

/**
 * The shape of one event. A compiled function says yes or no; only a no is explained
 * (docs/decisions/0007-validation.md). It is compiled at its first use.
 */
export class CompiledShape {
  private accepting: Accepting | undefined;
  private isQueued = false;
  private node: ObjectNode | undefined;

  /** @param queue compiles later, so that no message waits for it; without one the first use compiles */
  constructor(
    private readonly shape: ObjectShape,
    private readonly compile: (shape: ObjectShape) => Accepting,
    private readonly queue?: CompileQueue,
  ) {}

  /** Whether the object fits as it is stored. */
  accepts(sent: Sent): boolean {
    const properties = sent ?? nothing;
    const accepting = this.accepting ?? this.firstUse();
    // The explanation is slower and decides alike.
    if (!accepting) return this.violations(sent).length === 0;
    return accepting(properties) || (hasDottedName(properties) && accepting(asStored(properties)));
  }

  /** The compiled function; undefined when it will be compiled later. */
  private firstUse(): Accepting | undefined {
    if (!this.queue) return (this.accepting = this.compile(this.shape));
    if (!this.isQueued) this.isQueued = this.queue.add(() => (this.accepting = this.compiledOrThrowing()));
    return undefined;
  }

  /** What cannot be compiled throws at each use, as it would without a queue. */
  private compiledOrThrowing(): Accepting {
    try {
      return this.compile(this.shape);
    } catch (error) {
      return () => {
        throw error;
      };
    }
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
