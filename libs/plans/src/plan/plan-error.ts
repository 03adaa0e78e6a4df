/** One mistake in a plan and its place: `events.order_completed.properties.total.type`. */
export interface PlanProblem {
  readonly path: string;
  readonly message: string;
}

const maxShown = 20;

/** A document that is not a plan, with all its mistakes. */
export class PlanError extends TypeError {
  override readonly name = 'PlanError';

  constructor(readonly problems: readonly PlanProblem[]) {
    super(formatProblems(problems));
  }
}

function formatProblems(problems: readonly PlanProblem[]): string {
  const lines = problems.slice(0, maxShown).map(({ path, message }) => `${path || 'the plan'}: ${message}`);
  const hiddenCount = problems.length - lines.length;
  return [...lines, ...(hiddenCount > 0 ? [`and ${hiddenCount} more`] : [])].join('\n');
}
