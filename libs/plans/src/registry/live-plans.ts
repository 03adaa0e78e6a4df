import { type Activation, milderMode } from './activation.js';
import { type JudgedEvent, type JudgedPlan } from '../judge/judged-plan.js';
import { type ReducedProperties, type JudgedShape, type SentProperties } from '../judge/judged-shape.js';
import { type PlanMode } from '../plan/plan.js';
import { unknownEvent } from '../judge/violations.js';

/** Verdict of the plans of a source on one message. */
export interface MessageVerdict {
  /** Version that the message fits; if it fits none, the newest that plans it. */
  readonly planVersion: number;
  /** Rules and paths, at most eight and `more`; empty if the message fits. */
  readonly violations: readonly string[];
  /** Reaction to violations of this message. */
  readonly mode: PlanMode;
}

/** Events of the SDKs themselves (docs/push.md): no team plans them, so they are never unknown. */
const sdkEventPrefix = 'bb_notification_';

/** One shape of an event or of traits, with its verdict for messages that fit: one object for all of them. */
interface LiveShape {
  readonly shape: JudgedShape;
  readonly fitVerdict: MessageVerdict;
}

/** The active plans of one source. It judges messages, and never throws: whatever it cannot judge passes. */
export class LivePlans {
  private readonly events = new Map<string, readonly LiveShape[]>();
  private readonly traits: readonly LiveShape[];
  private readonly unknown: MessageVerdict | undefined;

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
        this.events.set(name, [...(this.events.get(name) ?? []), buildLiveEvent(plan, event, mode)]);
      }
    }
    this.traits = plans.flatMap(({ version, traits }) => (traits ? [buildLiveShape(traits, version, mode)] : []));
    const isOpen = plans.some(({ additionalEvents }) => additionalEvents);
    const [newest] = plans;
    if (newest && !isOpen)
      this.unknown = Object.freeze({ ...buildFitVerdict(newest.version, mode), violations: [unknownEvent] });
  }

  /** Undefined when the plans say nothing about the event. */
  judgeEvent(event: string, properties: SentProperties): MessageVerdict | undefined {
    const shapes = this.events.get(event);
    if (shapes) return this.judge(shapes, properties);
    return event.startsWith(sdkEventPrefix) ? undefined : this.unknown;
  }

  /** Undefined when the plans say nothing about traits. */
  judgeTraits(traits: SentProperties): MessageVerdict | undefined {
    return this.traits.length > 0 ? this.judge(this.traits, traits) : undefined;
  }

  /** The properties without those that the newest plan of the event does not allow. */
  dropFromEvent(event: string, properties: SentProperties): ReducedProperties {
    return this.drop(this.events.get(event) ?? [], properties);
  }

  dropFromTraits(traits: SentProperties): ReducedProperties {
    return this.drop(this.traits, traits);
  }

  private judge(shapes: readonly LiveShape[], sent: SentProperties): MessageVerdict | undefined {
    try {
      for (const { shape, fitVerdict } of shapes) if (shape.accepts(sent)) return fitVerdict;
      const [newest] = shapes;
      return newest && { ...newest.fitVerdict, violations: newest.shape.violations(sent) };
    } catch (error) {
      this.onError(error);
      return undefined;
    }
  }

  private drop([newest]: readonly LiveShape[], sent: SentProperties): ReducedProperties {
    const unchanged: ReducedProperties = { properties: sent ?? {}, dropped: [] };
    try {
      return newest ? newest.shape.dropOffending(sent) : unchanged;
    } catch (error) {
      this.onError(error);
      return unchanged;
    }
  }
}

const buildFitVerdict = (planVersion: number, mode: PlanMode): MessageVerdict => ({
  planVersion,
  violations: [],
  mode,
});

const buildLiveShape = (shape: JudgedShape, version: number, mode: PlanMode): LiveShape => ({
  shape,
  fitVerdict: Object.freeze(buildFitVerdict(version, mode)),
});

const buildLiveEvent = ({ version }: JudgedPlan, { shape, mode }: JudgedEvent, active: PlanMode): LiveShape =>
  buildLiveShape(shape, version, milderMode(active, mode ?? active));
