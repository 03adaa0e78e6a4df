import { type Activation, milderMode } from './activation.js';
import { type JudgedEvent, type JudgedPlan } from './judged-plan.js';
import { type Dropped, type JudgedShape, type Sent } from './judged-shape.js';
import { type PlanMode } from './plan.js';
import { unknownEvent } from './violations.js';

/** What the plans of a source say about one message. */
export interface Verdict {
  /** Version that the message fits; if it fits none, the newest that plans it. */
  readonly planVersion: number;
  /** Rules and paths, at most eight and `more`; empty if the message fits. */
  readonly violations: readonly string[];
  /** Reaction to violations of this message. */
  readonly mode: PlanMode;
}

/** Events of the SDKs themselves (docs/push.md): no team plans them, so they are never unknown. */
const ownFamily = 'bb_notification_';

/** One shape of an event or of traits, with its verdict for messages that fit: one object for all of them. */
interface LiveShape {
  readonly shape: JudgedShape;
  readonly fits: Verdict;
}

/** The active plans of one source. It judges messages, and never throws: whatever it cannot judge passes. */
export class LivePlans {
  private readonly events = new Map<string, readonly LiveShape[]>();
  private readonly traits: readonly LiveShape[];
  private readonly unknown: Verdict | undefined;

  /** @param plans newest first */
  constructor(
    readonly plans: readonly JudgedPlan[],
    { mode }: Pick<Activation, 'mode'>,
    private readonly onError: (error: unknown) => void,
    /** A plan that is observed only; nothing is stored of its verdicts. */
    readonly candidate?: LivePlans,
  ) {
    for (const plan of plans) {
      for (const [name, event] of plan.events) {
        this.events.set(name, [...(this.events.get(name) ?? []), liveEvent(plan, event, mode)]);
      }
    }
    this.traits = plans.flatMap(({ version, traits }) => (traits ? [liveShape(traits, version, mode)] : []));
    const isOpen = plans.some(({ additionalEvents }) => additionalEvents);
    const [newest] = plans;
    if (newest && !isOpen)
      this.unknown = Object.freeze({ ...fitting(newest.version, mode), violations: [unknownEvent] });
  }

  /** Undefined when the plans say nothing about the event. */
  judgeEvent(event: string, properties: Sent): Verdict | undefined {
    const shapes = this.events.get(event);
    if (shapes) return this.judge(shapes, properties);
    return event.startsWith(ownFamily) ? undefined : this.unknown;
  }

  /** Undefined when the plans say nothing about traits. */
  judgeTraits(traits: Sent): Verdict | undefined {
    return this.traits.length > 0 ? this.judge(this.traits, traits) : undefined;
  }

  /** The properties without those that the newest plan of the event does not allow. */
  dropFromEvent(event: string, properties: Sent): Dropped {
    return this.drop(this.events.get(event) ?? [], properties);
  }

  dropFromTraits(traits: Sent): Dropped {
    return this.drop(this.traits, traits);
  }

  private judge(shapes: readonly LiveShape[], sent: Sent): Verdict | undefined {
    try {
      for (const { shape, fits } of shapes) if (shape.accepts(sent)) return fits;
      const [newest] = shapes;
      return newest && { ...newest.fits, violations: newest.shape.violations(sent) };
    } catch (error) {
      this.onError(error);
      return undefined;
    }
  }

  private drop([newest]: readonly LiveShape[], sent: Sent): Dropped {
    const asSent: Dropped = { properties: sent ?? {}, dropped: [] };
    try {
      return newest ? newest.shape.dropOffending(sent) : asSent;
    } catch (error) {
      this.onError(error);
      return asSent;
    }
  }
}

const fitting = (planVersion: number, mode: PlanMode): Verdict => ({ planVersion, violations: [], mode });

const liveShape = (shape: JudgedShape, version: number, mode: PlanMode): LiveShape => ({
  shape,
  fits: Object.freeze(fitting(version, mode)),
});

const liveEvent = ({ version }: JudgedPlan, { shape, mode }: JudgedEvent, active: PlanMode): LiveShape =>
  liveShape(shape, version, milderMode(active, mode ?? active));
